// Only Fastify: the same bytes for every request.
import { readFileSync } from 'node:fs';
import fastify from 'fastify';

const body = readFileSync(process.env.FLOOR_BODY_FILE);
const app = fastify();
const send = (_request, reply) => reply.header('content-type', 'application/json; charset=utf-8').send(body);
app.get('/api/v1/entries/*', send);
app.post('/api/v1/search', send);
console.log(`listening ${await app.listen({ host: '127.0.0.1', port: 0 })}`);
process.once('SIGTERM', () => process.exit(0));
