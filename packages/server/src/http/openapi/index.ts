import { operationNames, operations } from '@mem-service/contract';
import { routesOf } from '../routes.ts';
import { answerHeaders, describeOperation, headerParameters } from './operation.ts';
import { Problems, problemSchema } from './problems.ts';
import { type JsonObject, Schemas } from './schemas.ts';

export { errorsOf } from './problems.ts';

const DESCRIPTION = `Versioned memory entries that agents write, read, search and trace.

Answers are JSON in snake_case. Names in a query may be camelCase too. Lists come in pages: hand \`next_cursor\` back as
\`cursor\` while \`has_more\` is true. Errors are RFC 9457 problem details with a stable \`code\`.`;

/** What each group of operations is for. */
export const TAGS: Record<string, string> = {
  entries: 'Write, read, compare, verify and remove entries.',
  search: 'Find entries by words and filters.',
  commits: 'Write many entries at once, and look up what was written together.',
  sessions: 'What an agent sees and does, kept until an outcome seals it.',
  outcomes: 'How it went, and what that does to the trust in what led there.',
  traces: 'Sealed sessions: what was asked, read, done and answered.',
  agents: 'Who works with the memory: timelines, profiles, rules, and what one reads of another.',
  graph: 'What is connected with what, seen by the service or stated by callers.',
  tags: 'Names for memory as it was.',
  counts: 'What there is, counted: paths, patterns, statistics.',
  log: 'Every change of the account, in order.',
  keys: 'Who may use the account, and for what.',
  audit: 'Who did what, when, and from where, in a chain that shows what is missing.',
  usage: 'What an account has used, and what its plan leaves it.',
  accounts: 'The accounts of a hosted service, for whoever runs it.',
  activity: 'How much the account is used, by day, agent and path.',
  retention: 'How long the account keeps what.',
  consumers: 'What follows the log, how far it has come, and what it gave up on.',
  transfer: 'The whole account out and in, and entries from other systems.',
  system: 'The service about itself.',
};

/** OpenAPI 3.1, from the table alone. */
export function openApiDocument(version: string): JsonObject {
  const schemas = new Schemas();
  const problems = new Problems();
  // Shapes that are taken and given are as strict as what is taken.
  for (const name of operationNames) schemas.members(operations[name].input);
  const paths: Record<string, JsonObject> = {};
  for (const name of operationNames)
    routesOf(name).forEach((route, index) => {
      const described = describeOperation({ name, route, isAlias: index > 0 }, { schemas, problems });
      paths[route.path] = { ...paths[route.path], [route.method.toLowerCase()]: described };
    });
  return {
    openapi: '3.1.0',
    info: {
      title: 'mem',
      version,
      summary: 'Memory for software agents',
      description: DESCRIPTION,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/', description: 'This service' }],
    security: [{ apiKey: [] }, { bearer: [] }],
    tags: [...new Set(operationNames.map((name) => operations[name].module))].map((name) => ({
      name,
      description: TAGS[name] ?? name,
    })),
    paths,
    components: {
      securitySchemes: {
        apiKey: { type: 'apiKey', in: 'header', name: 'X-MEM-API-Key', description: 'A key of the service.' },
        internalKey: {
          type: 'apiKey',
          in: 'header',
          name: 'X-MEM-Internal-Key',
          description: 'The key of the control plane.',
        },
        bearer: { type: 'http', scheme: 'bearer', description: 'The same key, as a bearer token.' },
      },
      parameters: headerParameters,
      headers: answerHeaders,
      schemas: { Problem: problemSchema, ...schemas.components },
      responses: problems.responses,
      examples: problems.examples,
    },
  };
}
