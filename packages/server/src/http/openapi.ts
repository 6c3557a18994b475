import {
  type FaultCode,
  faultCodes,
  type HttpRoute,
  type Operation,
  type OperationName,
  operationNames,
  operations,
} from '@mem-service/contract';
import { z } from 'zod';
import { routesOf } from './routes.ts';

type Json = Record<string, unknown>;

/** Codes that any operation may meet, whatever it does. */
const ALWAYS: readonly FaultCode[] = ['internal', 'unavailable', 'rate_limited'];
const WITH_INPUT: readonly FaultCode[] = ['invalid_input'];
const WITH_BODY: readonly FaultCode[] = ['invalid_json', 'body_too_large', 'unsupported_media_type'];
const WITH_KEY: readonly FaultCode[] = ['unauthenticated', 'forbidden'];
const WITH_WRITE: readonly FaultCode[] = ['idempotency_mismatch', 'storage_full'];

export function errorsOf(name: OperationName): FaultCode[] {
  const operation: Operation = operations[name];
  const body = operation.http.method !== 'GET' && operation.http.method !== 'DELETE';
  return [
    ...new Set([
      ...operation.errors,
      ...WITH_INPUT,
      ...(body ? WITH_BODY : []),
      ...(operation.open ? [] : WITH_KEY),
      ...(operation.effect === 'write' ? WITH_WRITE : []),
      ...ALWAYS,
    ]),
  ];
}

/** Schemas with an id become components; what is left of each is a reference to them. */
class Schemas {
  readonly components: Record<string, Json> = {};

  of(schema: z.ZodType, io: 'input' | 'output'): Json {
    const {
      $schema: _,
      $defs = {},
      ...json
    } = z.toJSONSchema(schema, {
      io,
      target: 'draft-2020-12',
      unrepresentable: 'any',
      reused: 'inline',
    }) as Json & { $defs?: Record<string, Json> };
    for (const [id, definition] of Object.entries($defs)) this.components[id] ??= this.#clean(definition);
    const cleaned = this.#clean(json);
    if (typeof cleaned.id !== 'string') return cleaned;
    const { id, ...component } = cleaned;
    this.components[id as string] ??= component;
    return { $ref: `#/components/schemas/${id}` };
  }

  /** Local references become references to components. */
  #clean(json: Json): Json {
    const text = JSON.stringify(json).replaceAll('"#/$defs/', '"#/components/schemas/');
    const { id, ...rest } = JSON.parse(text) as Json;
    return id === undefined ? rest : { id, ...rest };
  }
}

const operationId = (name: OperationName, index: number) => {
  const camel = name.replace(/[._](\w)/g, (_, letter: string) => letter.toUpperCase());
  return index === 0 ? camel : `${camel}${index + 1}`;
};

/** OpenAPI 3.1, from the table alone. */
export function openApiDocument(version: string): Json {
  const schemas = new Schemas();
  const paths: Record<string, Json> = {};
  for (const name of operationNames)
    routesOf(name).forEach((route, index) => {
      const item = paths[route.path] ?? {};
      paths[route.path] = { ...item, [route.method.toLowerCase()]: describe(schemas, name, { route, index }) };
    });
  return {
    openapi: '3.1.0',
    info: {
      title: 'mem',
      version,
      summary: 'Memory for software agents',
      description: 'Versioned memory entries that agents write, read, search and trace.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/', description: 'This service' }],
    security: [{ apiKey: [] }, { bearer: [] }],
    tags: [...new Set(operationNames.map((name) => operations[name].module))].map((name) => ({
      name,
      description: `Operations of the module ${name}.`,
    })),
    paths,
    components: {
      securitySchemes: {
        apiKey: { type: 'apiKey', in: 'header', name: 'X-MEM-API-Key' },
        bearer: { type: 'http', scheme: 'bearer' },
      },
      schemas: { Problem: problemSchema(), ...sorted(schemas.components) },
      responses: responses(),
    },
  };
}

const sorted = (record: Record<string, Json>) =>
  Object.fromEntries(Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1)));

function problemSchema(): Json {
  return {
    type: 'object',
    description: 'RFC 9457 problem details.',
    required: ['type', 'title', 'status', 'detail', 'code'],
    properties: {
      type: { type: 'string' },
      title: { type: 'string' },
      status: { type: 'integer' },
      detail: { type: 'string' },
      code: { type: 'string', enum: Object.keys(faultCodes) },
      errors: {
        type: 'array',
        items: {
          type: 'object',
          required: ['path', 'message'],
          properties: { path: { type: 'string' }, message: { type: 'string' } },
        },
      },
    },
  };
}

/** One shared response for each status, listing its codes. */
function responses(): Record<string, Json> {
  const byStatus = new Map<number, FaultCode[]>();
  for (const code of Object.keys(faultCodes) as FaultCode[]) {
    const { status } = faultCodes[code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  return Object.fromEntries(
    [...byStatus].map(([status, codes]) => [
      `Problem${status}`,
      {
        description: codes.map((code) => `\`${code}\`: ${faultCodes[code].title}.`).join(' '),
        content: {
          'application/problem+json': {
            schema: { $ref: '#/components/schemas/Problem' },
            example: exampleProblem(codes[0] as FaultCode),
          },
        },
      },
    ]),
  );
}

const exampleProblem = (code: FaultCode) => ({
  type: `urn:mem:error:${code}`,
  ...faultCodes[code],
  detail: faultCodes[code].title,
  code,
});

function describe(schemas: Schemas, name: OperationName, { route, index }: { route: HttpRoute; index: number }): Json {
  const operation: Operation = operations[name];
  const input = schemas.of(operation.input, 'input') as { properties: Record<string, Json>; required?: string[] };
  const inPath = [...route.path.matchAll(/\{(\w+)\}/g)].map((match) => match[1] as string);
  const body = route.method !== 'GET' && route.method !== 'DELETE';
  const rest = Object.keys(input.properties).filter((field) => !inPath.includes(field));
  const parameters = [
    ...inPath.map((field) =>
      parameter(operation, field, { in: 'path', required: true, schema: input.properties[field] }),
    ),
    ...(body
      ? []
      : rest.map((field) =>
          parameter(operation, field, {
            in: 'query',
            required: input.required?.includes(field) ?? false,
            schema: input.properties[field],
          }),
        )),
    ...headers(operation),
  ];
  return {
    operationId: operationId(name, index),
    summary: operation.summary,
    ...(operation.description ? { description: operation.description } : {}),
    tags: [operation.module],
    ...(operation.open ? { security: [] } : {}),
    parameters,
    ...(body ? { requestBody: requestBody(operation, input) } : {}),
    responses: { ...success(schemas, operation), ...problems(name) },
  };
}

function parameter(operation: Operation, name: string, rest: Json): Json {
  const example = (operation.example as Json)[name];
  const many = name === 'entity_path' && rest.in === 'path' ? { description: 'May contain slashes.' } : {};
  return { name, ...many, ...rest, ...(example === undefined ? {} : { example }) };
}

function headers({ effect, open }: Operation): Json[] {
  const header = (name: string, description: string) => ({
    name,
    in: 'header',
    required: false,
    description,
    schema: { type: 'string' },
  });
  if (open) return [];
  return [
    header('X-MEM-Agent-Id', 'The agent on whose behalf the request is made.'),
    header('X-MEM-Session-Id', 'The session it belongs to.'),
    ...(effect === 'write'
      ? [header('Idempotency-Key', 'A retry with the same key gives the stored answer, for 24 hours.')]
      : []),
  ];
}

function requestBody(operation: Operation, schema: Json): Json {
  return { required: true, content: { 'application/json': { schema, example: operation.example } } };
}

function success(schemas: Schemas, operation: Operation): Record<string, Json> {
  const { status = 200 } = operation.http;
  const all = typeof status === 'number' ? [status] : status.all;
  const schema = schemas.of(operation.output, 'output');
  const answers = all.map((code) => [
    String(code),
    {
      description: code === 201 ? 'Created.' : 'Done.',
      ...(code === 201 && operation.http.location ? { headers: { Location: { schema: { type: 'string' } } } } : {}),
      content: { 'application/json': { schema } },
    },
  ]);
  const notModified = operation.http.etag ? { 304: { description: 'Not modified.' } } : {};
  return { ...Object.fromEntries(answers), ...notModified };
}

function problems(name: OperationName): Record<string, Json> {
  const statuses = [...new Set(errorsOf(name).map((code) => faultCodes[code].status))].sort((a, b) => a - b);
  return Object.fromEntries(statuses.map((status) => [status, { $ref: `#/components/responses/Problem${status}` }]));
}
