import {
  Fault,
  type FieldError,
  invalidInput,
  type Operation,
  type OperationName,
  operations,
} from '@mem-service/contract';
import type { z } from 'zod';
import { migrate, StorageError } from '../db/index.ts';
import { type Authorize, byType, mainOnly } from './authorize.ts';
import { byScope } from './by-scope.ts';
import type { Caller } from './caller.ts';
import { Committer } from './committer.ts';
import { Feed } from './feed.ts';
import { Followers } from './followers.ts';
import { kernelMigrations } from './migrations.ts';
import type { ControlContext, Handler, Handlers, Kernel, Module, Services } from './module.ts';
import { keepNotes, readContext } from './notes.ts';
import { Usage } from './usage.ts';
import type { Work } from './work.ts';

export function migrateAll(
  services: Pick<Services, 'database' | 'clock'>,
  modules: readonly Module[],
): Promise<number> {
  return migrate(services.database, migrationsOf(modules), services.clock.now());
}

const migrationsOf = (modules: readonly Module[]) => [
  ...kernelMigrations,
  ...modules.flatMap((module) => module.migrations),
];

export const newestSchema = (modules: readonly Module[]): number =>
  Math.max(...migrationsOf(modules).map(({ version }) => version));

export type KernelOptions = { hooks?: readonly Authorize[]; onError?: (error: unknown) => void };

export function createKernel(
  services: Services,
  modules: readonly Module[],
  { hooks = [], onError = () => {} }: KernelOptions = {},
): Kernel {
  const handlers: Handlers = Object.assign({}, ...modules.map((module) => module.handlers));
  const feed = new Feed();
  const usage = new Usage();
  const door = { handlers, authorize: [byType, byScope, mainOnly, ...hooks], usage };
  const followers = new Followers({ database: services.database, feed, onError });
  const committer = new Committer(services, {
    committed: (events, accountId) => feed.publish(accountId, events),
    batch: (size) => usage.countBatch(size),
  });

  const notes = keepNotes(services, { committer, modules, onError });
  const run = createRun({ services, door, followers, committer, notes });

  async function invoke(name: OperationName, input: unknown, caller: Caller): Promise<never> {
    const started = performance.now();
    try {
      const output = await run(name, input, caller);
      usage.observe(name, 'ok', performance.now() - started);
      return output as never;
    } catch (error) {
      const fault = toFault(error);
      usage.observe(name, fault instanceof Fault ? fault.code : 'internal', performance.now() - started);
      if (fault instanceof Fault) notes.error(name, { input, caller, fault });
      throw fault;
    }
  }

  return {
    services,
    feed,
    usage,
    get queued() {
      return committer.queued;
    },
    get following() {
      return followers.count;
    },
    invoke,
    ...{ open: invoke, list: invoke },
    work: (caller, action, run) => committer.submit({ name: action, ...plainWork(run), caller }) as Promise<never>,
    async close() {
      await notes.close();
      await committer.close();
      // Others are still told of what was committed last.
      followers.close();
    },
  };
}

type Parts = {
  services: Services;
  door: Door;
  followers: Followers;
  committer: Committer;
  notes: ReturnType<typeof keepNotes>;
};

/** From what every call has to pass to the handler of its kind. */
function createRun({ services, door, followers, committer, notes }: Parts) {
  return async (name: OperationName, raw: unknown, caller: Caller): Promise<unknown> => {
    const { handler, input } = admit(door, name, { raw, caller });
    if (handler.kind === 'stream')
      return followers.follow(caller.account_id, handler.run(readContext(services, caller), input));
    if (handler.kind === 'control') return handler.run(controlContext(name, { services, committer, caller }), input);
    if (handler.settled && handler.settled !== 'here') await notes.settleElsewhere(caller);
    const settling = handler.settled ? notes.settle(handler.settled, input, caller) : undefined;
    // Writes of an account are done in the order they come; only what reads has to wait.
    if (handler.kind === 'write' || handler.kind === 'set') return committer.submit({ name, handler, input, caller });
    await settling;
    const output = await handler.run(readContext(services, caller), input);
    if (isLookedUpon(name, caller)) await committer.submit({ name, ...looked(input, caller) });
    return output;
  };
}

/** Nobody but its owner stands behind an export of a service without keys, and it is to be the same when made again. */
function isLookedUpon(name: OperationName, { key }: Caller): boolean {
  const { admin, whole } = operations[name] as Operation;
  return admin === true && (key !== undefined || !whole);
}

/** A look at what only admins see has its line in the audit trail, and changes nothing else. */
const looked = (input: unknown, caller: Caller) => ({
  handler: { kind: 'write' as const, run: async () => ({}) },
  input,
  caller: { ...caller, idempotency_key: undefined },
});

const plainWork = (run: (work: Work) => Promise<unknown>) => ({ handler: { kind: 'write' as const, run }, input: {} });

type Controlling = { services: Services; committer: Committer; caller: Caller };

const controlContext = (name: OperationName, { services, committer, caller }: Controlling): ControlContext => ({
  caller,
  services,
  work: (account_id, run) =>
    committer.submit({ name, ...plainWork(run), caller: { ...caller, account_id } }) as Promise<never>,
});

type Door = { handlers: Handlers; authorize: readonly Authorize[]; usage: Usage };

/** What every call has to pass, whatever it asks for. */
function admit(
  { handlers, authorize, usage }: Door,
  name: OperationName,
  { raw, caller }: { raw: unknown; caller: Caller },
): { handler: Handler<OperationName>; input: never } {
  const operation = operations[name];
  const handler = handlers[name] as Handler<OperationName> | undefined;
  if (!operation) throw new Fault('route_not_found', `there is no operation ${name}`);
  if (!handler) throw new Fault('module_not_installed', `${name} needs the module ${operation.module}`);
  const input = parseInput(operation.input, raw) as never;
  for (const check of authorize) check(name, input, caller);
  usage.charge(operation.cost);
  return { handler, input };
}

/** What the storage could not do becomes something a caller can act on. Bugs stay what they are. */
function toFault(error: unknown): unknown {
  if (!(error instanceof StorageError)) return error;
  const fault =
    error.reason === 'full'
      ? new Fault('storage_full', 'nothing was written: the storage is full')
      : new Fault('unavailable', 'the database cannot be reached; try again', { retry_after: 1 });
  // For the log; callers see the fault alone.
  fault.cause = error;
  return fault;
}

function parseInput(schema: z.ZodType, raw: unknown): unknown {
  const parsed = schema.safeParse(raw);
  if (parsed.success) return parsed.data;
  throw invalidInput(parsed.error.issues.flatMap(toFieldErrors).slice(0, MAX_FIELD_ERRORS));
}

/** A body full of nonsense is not answered with a list as long. */
const MAX_FIELD_ERRORS = 100;

function toFieldErrors(issue: z.core.$ZodIssue): FieldError[] {
  const at = issue.path.map(String);
  if (issue.code === 'unrecognized_keys')
    return issue.keys.map((key) => ({ path: [...at, key].join('.'), message: 'is not a known field' }));
  return [{ path: at.join('.'), message: issue.message }];
}
