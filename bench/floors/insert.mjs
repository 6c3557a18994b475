// Fastify and pg: one prepared INSERT of one row for each request, durable before the answer.
import fastify from 'fastify';
import pg from 'pg';

const { FLOOR_DSN: connectionString, FLOOR_POOL } = process.env;
const pool = new pg.Pool({ connectionString, max: Number(FLOOR_POOL), pipeline: true });
await pool.query(`CREATE TABLE IF NOT EXISTS floor_entries (
  account_id TEXT COLLATE "C" NOT NULL,
  entity_path TEXT COLLATE "C" NOT NULL,
  key TEXT COLLATE "C" NOT NULL,
  value TEXT NOT NULL,
  confidence DOUBLE PRECISION NOT NULL,
  memory_type TEXT NOT NULL,
  written_at BIGINT NOT NULL,
  PRIMARY KEY (account_id, entity_path, key)
)`);

const insert = {
  name: 'insert',
  text: 'INSERT INTO floor_entries (account_id, entity_path, key, value, confidence, memory_type, written_at) VALUES ($1, $2, $3, $4, $5, $6, $7)',
};
const app = fastify();
app.post('/api/v1/entries', async (request, reply) => {
  const { entity_path, key, value, confidence, memory_type } = request.body;
  const values = ['one', entity_path, key, JSON.stringify(value), confidence, memory_type, Date.now()];
  await pool.query({ ...insert, values });
  return reply.code(201).send({ entity_path, key, version: 1 });
});
console.log(`listening ${await app.listen({ host: '127.0.0.1', port: 0 })}`);
process.once('SIGTERM', () => process.exit(0));
