import fastify from 'fastify';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { answerWith } from '../../packages/mcp/src/index.ts';
import { AnswersInFlight } from '../../packages/server/src/http/answers-in-flight.ts';
import { ANYBODY, keyCheck } from '../../packages/server/src/http/auth.ts';
import { addMcp, MCP_PATH } from '../../packages/server/src/http/mcp.ts';
import { acceptJsonOnly } from '../../packages/server/src/http/server.ts';
import { listen, openTestApp } from '../support/app.ts';
import { type Conformance, conformance } from './conformance.ts';
import { fixtureServer } from './fixtures.ts';

let suite: Conformance;
beforeAll(async () => {
  suite = await conformance();
});
afterAll(() => suite.remove());

/** Nothing is kept between two requests, so there is no way to do these: */
const STATELESS = [
  // The server asks the client in the middle of a call, and the answer comes with another request.
  'tools-call-sampling',
  'tools-call-elicitation',
  'elicitation-sep1034-defaults',
  'elicitation-sep1330-enums',
  // What is sent after the request that asked for it; a client of the newer protocol listens instead.
  'resources-subscribe',
  'resources-unsubscribe',
  // Takes up a broken answer where it ended.
  'server-sse-polling',
];

/** Scenarios that call tools, resources and prompts by names that only a test has. */
const FIXTURES = [
  'completion-complete',
  'json-schema-2020-12',
  'prompts-get-embedded-resource',
  'prompts-get-simple',
  'prompts-get-with-args',
  'prompts-get-with-image',
  'resources-read-binary',
  'resources-read-text',
  'resources-templates-read',
  'tools-call-audio',
  'tools-call-embedded-resource',
  'tools-call-error',
  'tools-call-image',
  'tools-call-mixed-content',
  'tools-call-simple-text',
  'tools-call-with-logging',
  'tools-call-with-progress',
];

const PLAIN = [
  'dns-rebinding-protection',
  'logging-set-level',
  'ping',
  'prompts-list',
  'resources-list',
  'server-initialize',
  'server-sse-multiple-streams',
  'tools-list',
];

it('mem serve passes the suite of the protocol where it asks for nothing of its own', async () => {
  const app = await openTestApp('sqlite');
  const server = await listen(app);
  onTestFinished(() => server.close().then(() => app.close()));
  const { code, out, passed } = await suite.run(`${server.url}/mcp`, [...STATELESS, ...FIXTURES]);
  expect(passed.sort()).toEqual(PLAIN);
  expect(code, out).toBe(0);
});

it('the transport passes all of it that can be done without keeping anything', async () => {
  const app = await openTestApp('sqlite');
  const server = fastify();
  onTestFinished(() => server.close().then(() => app.close()));
  acceptJsonOnly(server);
  server.decorateRequest('identity', null as never);
  addMcp(server, app.kernel, {
    requireKey: keyCheck(() => ANYBODY),
    hasKeys: false,
    corsOrigins: [],
    agentId: 'test',
    maxBodyBytes: 1024 * 1024,
    onError: () => {},
    traceCall: (_request, _name, run) => run(),
    room: {
      inFlight: new AnswersInFlight({ perAccount: 1, inAll: 1 }),
      sizes: { page: 1, document: 1 },
      stallMs: 30_000,
    },
    answer: (incoming) => answerWith(incoming, fixtureServer),
  });
  const url = await server.listen({ host: '127.0.0.1', port: 0 });
  const { code, out, passed } = await suite.run(`${url}${MCP_PATH}`, STATELESS);
  expect(passed.sort()).toEqual([...FIXTURES, ...PLAIN].sort());
  expect(code, out).toBe(0);
});
