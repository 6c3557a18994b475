import { operationNames, operations } from '@mem-service/contract';
import { routesOf } from '../routes.ts';
import { answerHeaders, type DocumentedRoute, describeOperation, groupOf, headerParameters } from './operation.ts';
import { Problems, problemSchema } from './problems.ts';
import { type JsonObject, Schemas } from './schemas.ts';

export { errorsOf } from './problems.ts';

const DESCRIPTION = `Versioned memory entries that agents write, read, search and trace.

Answers are JSON in snake_case. Names in a query may be camelCase too. Lists come in pages: hand \`next_cursor\` back as
\`cursor\` while \`has_more\` is true. Errors are RFC 9457 problem details with a stable \`code\`.`;

/**
 * The description of each group of operations. Groups and operations are in an order in which every example works,
 * starting with an empty store: an entry is written before it is read.
 */
export const TAGS: Record<string, string> = {
  entries: 'Write, read, compare, verify and remove entries.',
  search: 'Find entries by words and filters.',
  recall: 'Find what helps to answer a question, by words and by meaning.',
  commits: 'Write many entries at once, and look up what was written together.',
  sessions: 'What an agent sees and does, kept until an outcome seals it.',
  outcomes: 'How work ended, and how that changes the confidence of the entries behind it.',
  traces: 'Sealed sessions: what was asked, read, done and answered.',
  'training-export': 'Examples for the training of models, from sealed sessions.',
  'trace-navigation': 'Spans of sealed sessions, and what several of them did alike and otherwise.',
  agents: 'The agents that use the memory: timelines, profiles, rules, and what they read of each other.',
  graph: 'Connections between entries, agents and other things, observed by the service or stated by callers.',
  branches: 'Branches of the memory: an agent can try something on one without the others believing it.',
  merges: 'What branches changed, merging them, conflicts and how they are resolved.',
  'pull-requests': 'Reviews and checks of what a branch changed, before it is merged.',
  tags: 'Names for the state of the memory at a moment.',
  rollback: 'Bring memory back to an earlier state, and copy the memory of an agent.',
  judges: 'What looks at traces and says whether they went well: by rules, by rubrics, or by asking a model.',
  budgets: 'What language models may cost the account, and have cost.',
  verdicts: 'What judges found in traces, and where people disagree with them.',
  backfills: 'Judges look at traces of the past.',
  segments: 'How often runs fail, cut by what they have in common.',
  attribution: 'The memory behind failures.',
  alerts: 'Rules over verdicts, incidents, cost, time and calibration, and the alerts that they raise.',
  cases: 'Regression cases: tasks with what has to come of them, and runs of whole sets.',
  incidents: 'Where traces fail more often than before, and what became of it.',
  behaviors: 'What agents do again and again, and how far it reaches.',
  fixes: 'Repairs of memory on branches of their own, with what they rest on and whether they held.',
  rooms: 'Places that agents share, of one account or of several.',
  negotiations: 'Agents of a room agree on something, in rounds of proposals and answers.',
  'room-documents': 'Files of rooms, their texts by page, and search in them.',
  patterns: 'What an account should look at: failures, conflicts, what is out of date or waits for somebody.',
  investigations: 'Questions about the sessions of an agent, answered with evidence.',
  quarantine: 'Find what rests on bad memory, and take it out of reads until it is known to be good.',
  counts: 'Counts of entries: paths, patterns, statistics.',
  briefing: 'What an agent should know before it begins.',
  cortex: 'Digests of what is known per path, agent and source, and the worker that compiles them.',
  log: 'Every change of the account, in order.',
  series: 'How much happened, by minute, hour and day.',
  keys: 'Who may use the account, and for what.',
  access: 'Which keys may use which branch.',
  teams: 'The people behind the keys of an account.',
  audit: 'Who did what, when, and from where, in a hash chain that reveals missing lines.',
  usage: 'The usage of an account, and what remains of its plan.',
  activity: 'How much the account is used, by day, agent and path.',
  golden: 'Questions whose answers are known, and what is learned from them.',
  retention: 'How long the account keeps its data.',
  consumers: 'Consumers of the log: their progress, and the events they gave up on.',
  transfer: 'Export and import of a whole account, and import of entries from other systems.',
  consolidation: 'Find duplicates, contradictions and what is stale; demote or propose, and decide.',
  ingestion: 'What happens outside: events, webhooks, and the connectors that understand them.',
  system: 'Information about the service itself.',
  accounts: 'The accounts of a hosted service, for its operator.',
  aliases: 'Other addresses of operations above.',
};

export type DocumentOptions = {
  /** Describes the operations for the operator of a hosted service too. */
  hasControl?: boolean;
};

/** Aliases come last, and of these the paths at which something is removed that the others read. */
function placeOf({ isAlias, route }: DocumentedRoute, routes: readonly DocumentedRoute[]): number {
  if (!isAlias) return 0;
  const { path } = route;
  return routes.some((other) => other.route.path === path && other.route.method === 'DELETE') ? 2 : 1;
}

const internalKey = {
  type: 'apiKey',
  in: 'header',
  name: 'X-MEM-Internal-Key',
  description: 'The key of the control plane.',
};

/** Generates OpenAPI 3.1 from the table of operations. */
export function openApiDocument(version: string, { hasControl = true }: DocumentOptions = {}): JsonObject {
  const schemas = new Schemas();
  const problems = new Problems();
  const names = operationNames.filter((name) => hasControl || operations[name].effect !== 'control');
  // Register inputs first: a schema used in both directions must be as strict as the input.
  for (const name of names) schemas.members(operations[name].input);
  const routes = names.flatMap((name) =>
    routesOf(name).map((route, index): DocumentedRoute => ({ name, route, isAlias: index > 0 })),
  );
  const paths: Record<string, JsonObject> = {};
  for (const described of routes.toSorted((a, b) => placeOf(a, routes) - placeOf(b, routes))) {
    const { path, method } = described.route;
    paths[path] = { ...paths[path], [method.toLowerCase()]: describeOperation(described, { schemas, problems }) };
  }
  const groups = new Set(routes.map(groupOf));
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
    tags: Object.entries(TAGS)
      .filter(([name]) => groups.has(name))
      .map(([name, description]) => ({ name, description })),
    paths,
    components: {
      securitySchemes: {
        apiKey: { type: 'apiKey', in: 'header', name: 'X-MEM-API-Key', description: 'A key of the service.' },
        ...(hasControl ? { internalKey } : {}),
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
