// The least that can start and answer.
import fastify from 'fastify';

const app = fastify();
app.get('/health', (_request, reply) => reply.send({ status: 'ok' }));
console.log(`listening ${await app.listen({ host: '127.0.0.1', port: Number(process.env.FLOOR_PORT) })}`);
process.once('SIGTERM', () => process.exit(0));
