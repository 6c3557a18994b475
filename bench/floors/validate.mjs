// Fastify and zod: takes the body, checks it, answers. Nothing is kept.
import fastify from 'fastify';
// biome-ignore lint/correctness/noUndeclaredDependencies: a floor stands on the service's own dependencies
import { z } from 'zod';

const schema = z.strictObject({
  entity_path: z.string().min(1).max(512),
  key: z.string().min(1).max(256),
  value: z.unknown(),
  confidence: z.number().min(0).max(1).optional(),
  memory_type: z.enum(['fact', 'belief', 'experience', 'procedure']).optional(),
});

const app = fastify();
app.post('/api/v1/entries', (request, reply) => {
  const { entity_path, key } = schema.parse(request.body);
  return reply.code(201).send({ entity_path, key, version: 1 });
});
console.log(`listening ${await app.listen({ host: '127.0.0.1', port: 0 })}`);
process.once('SIGTERM', () => process.exit(0));
