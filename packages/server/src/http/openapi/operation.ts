import { type HttpRoute, type Operation, type OperationName, operations, spanning } from '@mem-service/contract';
import { linksOf } from './links.ts';
import { hasBody, type Problems } from './problems.ts';
import type { JsonObject, Schemas } from './schemas.ts';
import { cloudEventForms, deliveryBody } from './sent-forms.ts';

export type DocumentedRoute = { name: OperationName; route: HttpRoute; isAlias: boolean };
type OpenApiParts = { schemas: Schemas; problems: Problems };

const camel = (name: string) => name.replace(/[\W_]+(\w)/g, (_, letter: string) => letter.toUpperCase());
const pascal = (name: string) => name.charAt(0).toUpperCase() + camel(name).slice(1);

/**
 * The name in the table with an underscore, so that generated clients have short functions: `entries_write`. Aliases are
 * numbered in the order of the row, which only grows at its end.
 */
function operationId({ name, route, isAlias }: DocumentedRoute): string {
  const id = name.replaceAll('.', '_');
  if (!isAlias) return id;
  const aliases = operations[name].http.aliases ?? [];
  const number = aliases.findIndex(({ method, path }) => method === route.method && path === route.path) + 1;
  return number === 1 ? `${id}_alias` : `${id}_alias_${number}`;
}

/** Addresses that few callers need are listed at the end, so that the rest can be read from top to bottom. */
export function groupOf({ name, isAlias }: DocumentedRoute): string {
  if (isAlias) return 'aliases';
  return operations[name].effect === 'control' ? 'accounts' : operations[name].module;
}

export function describeOperation(described: DocumentedRoute, { schemas, problems }: OpenApiParts): JsonObject {
  const { name, route, isAlias } = described;
  const operation: Operation = operations[name];
  const alias = isAlias ? `Another address of \`${operation.http.method} ${operation.http.path}\`.` : '';
  const description = [operation.description, alias].filter(Boolean).join('\n\n');
  return {
    operationId: operationId(described),
    summary: operation.summary,
    ...(description ? { description } : {}),
    tags: [groupOf(described)],
    ...(operation.open ? { security: [] } : {}),
    ...(operation.effect === 'control' ? { security: [{ internalKey: [] }] } : {}),
    parameters: [...parameters(schemas, operation, route), ...headers(schemas, operation)],
    ...(hasBody(route.method) ? { requestBody: requestBody(schemas, described) } : {}),
    responses: { ...success(schemas, name), ...problems.of(name, route.method) },
  };
}

function parameters(schemas: Schemas, { input, example }: Operation, { path, method }: HttpRoute): JsonObject[] {
  const { properties, required } = schemas.members(input);
  const shown = example(0) as JsonObject;
  const inPath = Object.keys(properties).filter((field) => path.includes(`{${field}}`));
  const inQuery = hasBody(method) ? [] : Object.keys(properties);
  const fields = [...inPath, ...inQuery.filter((field) => !inPath.includes(field))];
  return fields.map((field) => {
    const { description: _, ...schema } = properties[field] as JsonObject;
    const given = shown[field];
    const where = inPath.includes(field) ? 'path' : 'query';
    const slashes = where === 'path' && spanning.has(field) ? ' Its slashes may stand in the address as they are.' : '';
    return {
      name: field,
      in: where,
      required: where === 'path' || required.includes(field),
      description: `${schemas.describe(properties[field] as JsonObject) ?? ''}${slashes}`,
      // Lists are separated by commas.
      ...(where === 'query' && schema.type === 'array' ? { style: 'form', explode: false } : {}),
      schema,
      // Lists use commas: a repeated parameter is refused.
      ...(where === 'query' && schema.type === 'array' ? { explode: false } : {}),
      ...(given === undefined ? {} : { example: given }),
    };
  });
}

function headers(schemas: Schemas, { effect, open, http, input, stream, lines }: Operation): JsonObject[] {
  if (open) return [];
  const names = ['AgentIdHeader', 'SessionIdHeader'];
  if (effect === 'write' || (effect === 'control' && http.method !== 'GET')) names.push('IdempotencyKey');
  const { properties } = schemas.members(input);
  if ('branch' in properties) names.push('BranchHeader');
  if ('if_version' in properties) names.push('IfMatch');
  if ('if_exists' in properties) names.push('IfNoneMatchAny');
  if (http.etag) names.push('IfNoneMatch');
  if (effect === 'read') names.push('MinSeq', ...(stream || lines ? [] : ['WantSeq']));
  if (stream) names.push('LastEventId');
  return names.map((name) => ({ $ref: `#/components/parameters/${name}` }));
}

/** The page at `/docs` fills in examples: what is only for some requests, or must differ in each, has none. */
const header = (name: string, description: string): JsonObject => ({
  name,
  in: 'header',
  required: false,
  description,
  schema: { type: 'string' },
});

export const headerParameters: Record<string, JsonObject> = {
  AgentIdHeader: {
    ...header('X-MEM-Agent-Id', 'The agent on whose behalf the request is made. A field of the body wins.'),
    example: 'deploy-bot',
  },
  SessionIdHeader: header(
    'X-MEM-Session-Id',
    'The session it belongs to, such as `sess-42`. A field of the body wins.',
  ),
  BranchHeader: header(
    'X-MEM-Branch',
    'The branch that the client works on, such as `experiment/retries`. A field of the request wins.',
  ),
  IdempotencyKey: header(
    'Idempotency-Key',
    'Makes a retry safe: for 24 hours the same key with the same request gives the stored answer. Use a new one, such ' +
      'as a UUID, for each request.',
  ),
  IfMatch: header(
    'If-Match',
    'The ETag of the version to change, such as `"3.0"`, instead of `if_version`; `*` for any, if the entry exists.',
  ),
  LastEventId: header('Last-Event-ID', 'The last `id` that arrived, to go on from there. It wins over `after`.'),
  MinSeq: header(
    'X-MEM-Min-Seq',
    'A read-only server answers once it has everything up to this `seq`, such as that of `X-MEM-Seq` of a write.',
  ),
  WantSeq: {
    ...header('X-MEM-Want-Seq', '`true`: the answer says with `X-MEM-Seq` how far the log reached.'),
    schema: { type: 'string', enum: ['true', 'false'] },
  },
  IfNoneMatchAny: header('If-None-Match', '`*`: only if the entry does not exist, instead of `if_version` 0.'),
  IfNoneMatch: header('If-None-Match', 'Answers 304 without a body while the ETag is still the same.'),
};

export const answerHeaders: Record<string, JsonObject> = {
  RequestId: { description: 'Identifies the request in the logs of the service.', schema: { type: 'string' } },
  RetryAfter: { description: 'Seconds to wait before trying again.', schema: { type: 'integer' } },
  ETag: { description: 'Changes with the entry.', schema: { type: 'string' }, example: '"3.0"' },
  Location: { description: 'The address of the created resource.', schema: { type: 'string' } },
  Seq: {
    description:
      'The log of the account reaches at least this far; for `X-MEM-Min-Seq` of later reads. Reads have it with `X-MEM-Want-Seq`.',
    schema: { type: 'integer' },
    example: 42,
  },
  OpsRemaining: {
    description: 'Hosted: ops that the plan leaves for this month, or `unlimited`.',
    schema: { type: 'string' },
    example: '843',
  },
  OpsLimit: {
    description: 'Hosted: ops that the plan has for a month, or `unlimited`.',
    schema: { type: 'string' },
    example: '1000',
  },
  UsageWarning: {
    description: 'Hosted: the percentage of the ops that is used. Absent below 80.',
    schema: { type: 'integer', enum: [80, 95, 100] },
  },
  RateLimit: {
    description: 'Hosted: requests that the key may still make, and in how many seconds that changes.',
    schema: { type: 'string' },
    example: '"key";r=117;t=42',
  },
  RateLimitPolicy: {
    description: 'Hosted: the number of requests that the key may make, and the seconds that this covers.',
    schema: { type: 'string' },
    example: '"key";q=120;w=60',
  },
};

function requestBody(schemas: Schemas, { name, route }: DocumentedRoute): JsonObject {
  const { input, http } = operations[name];
  const whole: JsonObject = operations[name].example(0);
  if (http.webhook) return deliveryBody(whole);
  const inPath = Object.keys(whole).filter((field) => route.path.includes(`{${field}}`));
  const schema = schemas.body(input, `${pascal(name)}Input`, inPath);
  const example = Object.fromEntries(Object.entries(whole).filter(([field]) => !inPath.includes(field)));
  return {
    required: true,
    content: {
      'application/json': { schema, example },
      ...binaryForm(operations[name], 'ExportTraceServiceRequest'),
      ...cloudEventForms(operations[name]),
    },
  };
}

/** For OTLP operations: the binary form of the same message. */
function binaryForm({ http }: Operation, message: string): JsonObject {
  if (!http.otlp) return {};
  return { 'application/x-protobuf': { schema: { type: 'string', format: 'binary', description: `\`${message}\`` } } };
}

function success(schemas: Schemas, name: OperationName): Record<string, JsonObject> {
  const { http, output, stream, lines, open, effect }: Operation = operations[name];
  const { status = 200, etag, location } = http;
  const all = typeof status === 'number' ? [status] : status.all;
  const schema = schemas.named(output, `${pascal(name)}Output`, 'output');
  const done = stream
    ? 'Events without end; this is the `data` of each.'
    : lines
      ? 'JSON Lines; this is each of them.'
      : 'Done.';
  const type = stream ? 'text/event-stream' : lines ? 'application/x-ndjson' : 'application/json';
  const metered = open || effect === 'control' ? [] : METERED;
  const shared = headersOf([
    'RequestId',
    ...(etag ? ['ETag'] : []),
    ...(effect === 'write' || (effect === 'read' && !stream && !lines) ? ['Seq'] : []),
    ...metered,
  ]);
  const answers = all.map((code) => {
    const made = code === 201;
    const description = made ? 'A new version was written.' : all.length > 1 ? 'Nothing had to change.' : done;
    return [
      String(code),
      {
        description: made && all.length === 1 ? 'Created.' : description,
        headers: { ...shared, ...(made && location ? headersOf(['Location']) : {}) },
        content: { [type]: { schema }, ...binaryForm(operations[name], 'ExportTraceServiceResponse') },
        ...linksOf(name),
      },
    ];
  });
  const notModified = etag ? { 304: { description: 'The ETag is still the same.', headers: shared } } : {};
  return { ...Object.fromEntries(answers), ...notModified };
}

const METERED = ['OpsRemaining', 'OpsLimit', 'UsageWarning', 'RateLimit', 'RateLimitPolicy'];

const HEADER_NAMES: Record<string, string> = {
  RequestId: 'X-Request-Id',
  ETag: 'ETag',
  Location: 'Location',
  Seq: 'X-MEM-Seq',
  OpsRemaining: 'X-MEM-Ops-Remaining',
  OpsLimit: 'X-MEM-Ops-Limit',
  UsageWarning: 'X-MEM-Usage-Warning',
  RateLimit: 'RateLimit',
  RateLimitPolicy: 'RateLimit-Policy',
};

const headersOf = (names: readonly string[]): JsonObject =>
  Object.fromEntries(names.map((name) => [HEADER_NAMES[name], { $ref: `#/components/headers/${name}` }]));
