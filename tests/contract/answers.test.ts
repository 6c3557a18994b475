import { type OperationName, operationNames, operations, stringify } from '@mem-service/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { derivedTools } from '../../packages/mcp/src/derived.ts';
import type { McpSession } from '../../packages/mcp/src/session.ts';
import { errorsOf } from '../../packages/server/src/http/openapi/index.ts';
import { withNamedEntries } from '../mcp/support.ts';
import { backends, caller, listen, openTestApp, type TestApp, type TestServer } from '../support/app.ts';
import { expectDeclared, undeclaredNames } from '../support/declared.ts';
import { addresses, labelled, requestFor, send } from '../support/wire.ts';
import { layTeams } from './branching.ts';
import { layKnownFixes } from './fixes.ts';
import { layJudges, layVerdicts } from './judging.ts';
import {
  createExamples,
  definition,
  fieldsOf,
  type JsonObject,
  type KnownIds,
  learn,
  newInput,
  nthInput,
  outcomeOf,
  restoreExamplesAfter,
} from './table.ts';

const MARK = 'answers';
const as = { agent_id: 'mem-http-server', session_id: null };

/** What came over the wire, piece by piece: one answer, or lines, or events. */
function piecesOf(name: OperationName, text: string): unknown[] {
  const { stream, lines } = definition(name);
  if (stream) return [...text.matchAll(/^data: (.*)\n/gm)].map((match) => JSON.parse(match[1] as string));
  return lines ? text.split('\n').flatMap((line) => (line === '' ? [] : JSON.parse(line))) : [JSON.parse(text)];
}

describe.each(backends)('over HTTP, on %s', (backend) => {
  let app: TestApp;
  let server: TestServer;
  let known: KnownIds;
  beforeAll(async () => {
    app = await openTestApp(backend);
    server = await listen(app);
    for (const mark of ['others', MARK]) known = await createExamples(app, { mark, as });
    await layTeams(app, { as }, known);
  });
  afterAll(async () => {
    await server.close();
    await app.close();
  });

  it.each(labelled(addresses))('%s answers what the contract says, twice', async (label, address) => {
    const { name } = address;
    const sent = requestFor(address, newInput(name, MARK, known));
    const headers: Record<string, string> = operations[name].effect === 'write' ? { 'idempotency-key': label } : {};
    for (const time of ['first', 'second']) {
      const { status, text, json } = await send(server.url, { ...sent, headers });
      if (status >= 400) expect(errorsOf(name), `${time}: ${text}`).toContain(json.code);
      else expectDeclared(name, piecesOf(name, text), sent);
    }
    Object.assign(known, await restoreExamplesAfter(name, app, { mark: MARK, as }));
  });

  // The tool that answers what another agent proposed calls the same operation as the one that proposes.
  const tools = derivedTools.filter(({ name }) => name !== 'mem_negotiate_respond');
  it.each(tools.map((tool) => [tool.name, tool] as const))(
    'the answer of %s has no member that the operation does not declare',
    async (toolName, tool) => {
      const name = operationNames.find((one) =>
        definition(one).tools?.some((binding) => binding.name === toolName),
      ) as OperationName;
      const { fields = [] } = definition(name).tools?.find((binding) => binding.name === toolName) ?? {};
      // Others may have erased what it removes.
      Object.assign(known, await restoreExamplesAfter(name, app, { mark: MARK, as }));
      const input = newInput(name, MARK, known);
      const args = Object.fromEntries(Object.entries(input).filter(([field]) => fields.includes(field)));
      const call = {
        signal: new AbortController().signal,
        exact: undefined,
        progress: async () => {},
        log: async () => {},
      };
      const { json, isError } = await tool.run(args, sessionOn(app), call);
      expect(isError, JSON.stringify(json)).toBeUndefined();
      const { hint: _, ...named } = withNamedEntries(json);
      const answer = withoutAges(named);
      expect(undeclaredNames([operations[name].output], answer)).toEqual([]);
      Object.assign(known, await restoreExamplesAfter(name, app, { mark: MARK, as }));
    },
  );
});

/** Ages are computed by the tools. */
function withoutAges(json: JsonObject): JsonObject {
  if (!Array.isArray(json.entries)) return json;
  return { ...json, entries: json.entries.map(({ age: _, ...entry }: JsonObject) => entry) };
}

function sessionOn({ kernel }: TestApp): McpSession {
  return {
    service: {
      mode: 'remote',
      call: async (name, input, who) => stringify(await kernel.invoke(name, input, caller(who))),
      follow: async () => () => {},
    },
    identity: { caller: () => as, meet() {}, about: () => ({}), metadata: () => ({ source: 'mcp' }) },
    branch: 'main',
    folder: undefined,
  };
}

type Group = [label: string, names: readonly OperationName[]];

/** In turn, and each with an account of its own, which the first of them makes. */
const control = operationNames.filter((name) => operations[name].effect === 'control');
const [make] = control;
const ofOperator: Group = ['of the operator', [...control, ...control.flatMap((name) => (make ? [make, name] : []))]];

/** What is about a whole account changes what others of its kind may do, so each module has a store of its own. */
const whole = operationNames.filter((name) => definition(name).whole);
const ofModules = [...new Set(whole.map((name) => operations[name].module))].map(
  (module): Group => [`of the module ${module}`, whole.filter((name) => operations[name].module === module)],
);

const isEvaluation = (name: OperationName): boolean =>
  operations[name].http.path.startsWith('/api/v1/eval/') || operations[name].module === 'patterns';

/** A trace with a verdict, and another one that calls no tool. */
async function layJudged(app: TestApp, known: KnownIds): Promise<void> {
  await app.call('outcomes.commit', { outcome_ref: `${MARK}-without-tools`, outcome_type: 'success' }, as);
  const tool_calls = [{ tool_name: 'deploy', arguments: {} }];
  const { trace_id } = await app.call(
    'outcomes.commit',
    { outcome_ref: MARK, outcome_type: 'success', tool_calls },
    as,
  );
  known.trace_id = trace_id;
  await layJudges(app, { as, mark: MARK }, known);
  await layKnownFixes(app, { as, mark: MARK }, known);
  await layVerdicts(app, { as }, known);
}

describe.each(backends)('what is about whole accounts, on %s', (backend) => {
  it.each([ofOperator, ...ofModules])('operations %s answer what the contract says', async (_, names) => {
    const app = await openTestApp(backend, { hosted: true, rateLimits: false });
    const known: KnownIds = {};
    const answered = new Set<OperationName>();
    const check = async (name: OperationName, input: JsonObject) => {
      const outcome = await outcomeOf(app, name, { input, as: { ...as, control: true } });
      if ('refused' in outcome) {
        expect(errorsOf(name)).toContain((outcome.refused as { code: string }).code);
        return;
      }
      expectDeclared(name, definition(name).lines ? (outcome.lines as JsonObject[]) : [outcome], input);
      learn(known, outcome, name);
      answered.add(name);
    };
    if (names.some(isEvaluation)) await layJudged(app, known);
    for (const [n, order] of [names, names.toReversed()].entries())
      for (const name of order) {
        const input = nthInput(name, n, { mark: MARK, known });
        const tries = 'dry_run' in fieldsOf(name) ? [{ ...input, dry_run: true }, input, input] : [input, input];
        for (const given of tries) await check(name, given);
      }
    await app.close();
    expect([...answered].sort()).toEqual([...new Set(names)].sort());
  });
});
