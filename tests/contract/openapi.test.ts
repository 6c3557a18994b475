import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type FaultCode, faultCodes, type OperationName, operationNames, operations } from '@mem-service/contract';
import { describe, expect, it } from 'vitest';
import { errorsOf, openApiDocument, TAGS } from '../../packages/server/src/http/openapi/index.ts';
import { VERSION } from '../../packages/server/src/version.ts';
import { addresses, allAddresses, labelled, takesBody } from '../support/wire.ts';
import { fieldsOf } from './table.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const checkedIn = readFileSync(`${root}openapi.json`, 'utf8');

type Parameter = { name: string; in: string; required: boolean; description: string; schema: Record<string, unknown> };
type DescribedAnswer = {
  description: string;
  headers?: object;
  links?: object;
  content?: Record<string, { examples?: object; schema?: object }>;
};
type DescribedOperation = {
  operationId: string;
  summary: string;
  tags: string[];
  security?: [];
  parameters: (Parameter | { $ref: string })[];
  requestBody?: { content: { 'application/json': { example: object; schema: { $ref: string } } } };
  responses: Record<string, DescribedAnswer | { $ref: string }>;
};
type Document = {
  paths: Record<string, Record<string, DescribedOperation>>;
  tags: { name: string; description: string }[];
  components: Record<string, Record<string, unknown>>;
};

const document = openApiDocument(VERSION) as Document;
const at = ({ route }: (typeof addresses)[number]) =>
  document.paths[route.path]?.[route.method.toLowerCase()] as DescribedOperation;
const resolve = <T>(part: T | { $ref: string }): T => {
  if (!(part as { $ref?: string }).$ref) return part as T;
  const [kind = '', name = ''] = (part as { $ref: string }).$ref.replace('#/components/', '').split('/');
  return document.components[kind]?.[name] as T;
};

describe('openapi.json', () => {
  it('is what the table of operations says', () => {
    const derived = `${JSON.stringify(document, null, 2)}\n`;
    expect(checkedIn === derived, 'openapi.json is out of date: run `npm run openapi`').toBe(true);
  });

  it('passes the strict rules of a linter', () => {
    const { status, stdout, stderr } = spawnSync('node_modules/.bin/redocly', ['lint', 'openapi.json'], {
      cwd: root,
      encoding: 'utf8',
      env: { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' },
    });
    expect(stdout + stderr).not.toMatch(/You have \d+ (warning|error)/);
    expect(status, stdout + stderr).toBe(0);
  });

  it('has no reference that leads nowhere, and no component that nothing refers to', () => {
    const referred = new Set([...checkedIn.matchAll(/"\$ref": "#\/components\/([^"]+)"/g)].map((match) => match[1]));
    const { securitySchemes: _, ...rest } = document.components;
    const components = Object.entries(rest).flatMap(([kind, named]) =>
      Object.keys(named).map((name) => `${kind}/${name}`),
    );
    expect([...referred].sort()).toEqual(components.sort());
  });

  it('describes every address of every operation, and nothing else', () => {
    const described = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    );
    expect(described.sort()).toEqual(allAddresses.map(({ route }) => `${route.method} ${route.path}`).sort());
  });

  it('gives each operation an id of its own, made of its name', () => {
    const ids = allAddresses.map((address) => at(address).operationId);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.filter((id) => !/^[a-z]+(_[a-z0-9]+)+$/.test(id) || id.length > 40)).toEqual([]);
    for (const name of operationNames) {
      const { path, method } = operations[name].http;
      expect(document.paths[path]?.[method.toLowerCase()]?.operationId).toBe(name.replace('.', '_'));
    }
  });

  it('says what each group of operations is for', () => {
    const modules = new Set<string>(operationNames.map((name) => operations[name].module));
    expect(document.tags.map(({ name }) => name)).toEqual(Object.keys(TAGS));
    expect(Object.keys(TAGS).sort()).toEqual([...modules, 'aliases'].sort());
  });

  it('lists what only the operator of a hosted service can call near the end, or not at all', () => {
    const control = operationNames.filter((name) => operations[name].effect === 'control');
    const tagged = ({ paths }: Document, tag: string) =>
      Object.values(paths).flatMap((methods) => Object.values(methods).filter(({ tags }) => tags.includes(tag)));
    expect(document.tags.map(({ name }) => name).slice(-2)).toEqual(['accounts', 'aliases']);
    expect(tagged(document, 'accounts').map(({ operationId }) => operationId)).toHaveLength(control.length);
    const without = openApiDocument(VERSION, { hasControl: false }) as Document;
    expect(tagged(without, 'accounts')).toEqual([]);
    expect(JSON.stringify(without)).not.toMatch(/Internal-?Key|\/internal\//);
  });

  it('links what an operation makes to the operations on it', () => {
    const made = document.paths['/api/v1/admin/api-keys']?.post?.responses['201'] as DescribedAnswer;
    const parameters = { key_id: '$response.body#/key_id' };
    expect(made.links).toEqual({
      keys_rotate: { operationId: 'keys_rotate', parameters },
      keys_revoke: { operationId: 'keys_revoke', parameters },
    });
  });

  it('fills in no header that belongs to one request only', () => {
    const headers = Object.values(document.components.parameters as Record<string, { name: string; example?: string }>);
    expect(headers.filter(({ example }) => example !== undefined).map(({ name }) => name)).toEqual(['X-MEM-Agent-Id']);
  });
});

describe('the description of an operation', () => {
  it.each(labelled(addresses))('%s tells each parameter, whether it is needed, and its default', (_, address) => {
    const { parameters } = at(address);
    const own = parameters
      .map((parameter) => resolve<Parameter>(parameter))
      .filter(({ in: where }) => where !== 'header');
    for (const { name, required, description, schema } of own) {
      expect(description, name).toMatch(/\S{3}/);
      const isDefaulted = 'default' in schema;
      if (isDefaulted) expect(required, name).toBe(false);
      if (address.route.path.includes(`{${name}}`)) expect(required, name).toBe(true);
    }
    const names = own.map(({ name }) => name);
    const inPath = [...address.route.path.matchAll(/\{(\w+)\}/g)].map((match) => match[1] as string);
    expect(names.sort()).toEqual((takesBody(address.route) ? inPath : Object.keys(fieldsOf(address.name))).sort());
  });

  it.each(labelled(addresses.filter(({ name, route }) => takesBody(route) && !operations[name].http.webhook)))(
    '%s shows a body that is taken',
    (_, address) => {
      const { example, schema } = at(address).requestBody?.content['application/json'] ?? {};
      const { input } = operations[address.name];
      const whole = operations[address.name].example(0);
      const inPath = Object.entries(whole).filter(([field]) => address.route.path.includes(`{${field}}`));
      for (const [field] of inPath) expect(example).not.toHaveProperty(field);
      expect(input.safeParse({ ...Object.fromEntries(inPath), ...example }).success).toBe(true);
      expect(schema?.$ref).toMatch(/^#\/components\/schemas\//);
    },
  );

  it.each(labelled(addresses))('%s lists each way it ends, with an example of each code', (_, address) => {
    const { responses } = at(address);
    const codes: FaultCode[] = errorsOf(address.name, address.route.method);
    const statuses = new Set([...successOf(address.name), ...codes.map((code) => faultCodes[code].status)].map(String));
    expect(Object.keys(responses).sort()).toEqual([...statuses].sort());
    for (const code of codes) {
      const answer = resolve<DescribedAnswer>(responses[faultCodes[code].status] as DescribedAnswer);
      const examples = (answer.content?.['application/problem+json']?.examples ?? {}) as Record<
        string,
        { $ref: string }
      >;
      const { value } = resolve<{ value: object }>(examples[code] as { $ref: string });
      expect(value).toMatchObject({ code, status: faultCodes[code].status, type: `urn:mem:error:${code}` });
    }
    if (operations[address.name].http.location) expect(responses['201']).toHaveProperty('headers.Location');
    if (operations[address.name].http.etag) expect(responses['200']).toHaveProperty('headers.ETag');
  });

  function successOf(name: OperationName): number[] {
    const { status = 200, etag } = operations[name].http as { status?: number | { all: number[] }; etag?: unknown };
    return [...(typeof status === 'number' ? [status] : status.all), ...(etag ? [304] : [])];
  }
});
