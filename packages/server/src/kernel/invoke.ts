import { type Operation, type OperationName, operations } from '@mem-service/contract';
import { checkSchema, type Migrated, type MigrationStep, migrate, orderMigrations } from '../db/index.ts';
import { isAccountGone } from './account-gone.ts';
import type { SaveActivity } from './activity.ts';
import { type Admit, createAdmit } from './admission.ts';
import { isAuditedRead } from './authorize.ts';
import { type Caller, SELF_CALLER } from './caller.ts';
import { Committer } from './committer.ts';
import { Feed } from './feed.ts';
import { Followers } from './followers.ts';
import type { Hooks } from './hooks.ts';
import { isPagedByLog, runPageOfLog } from './log-cursors.ts';
import type { LogPosition } from './log-position.ts';
import type { OnAccount } from './metering.ts';
import { kernelMigrations } from './migrations.ts';
import type { ControlContext, Handler, Handlers, Kernel, Module, Services } from './module.ts';
import { readContext, startNotes } from './notes.ts';
import { plainWork, unauditedWork, worksOf } from './own-work.ts';
import { pay, prepaying, refundOnFailure, refundPrepaid } from './paying.ts';
import { readSeq } from './queries.ts';
import { AttachedReplicas } from './replica/attached-replicas.ts';
import { handActivity } from './replica/hand-notes.ts';
import { createReceive, type HandedAudit } from './replica/receive.ts';
import { type RunCall, waitingForPositions } from './replica/waiting-for-positions.ts';
import { changed, hashedBy } from './result.ts';
import { type RoomHook, watchRoom } from './rooms.ts';
import { stillAdmittedWith } from './still-admitted.ts';
import { Usage } from './usage.ts';
import { createWatch } from './watched-call.ts';
import type { LogEvent } from './work.ts';

/** Brings the store up to date; a server that only reads checks that it is. */
export function migrateAll(
  { database, clock, replica }: Pick<Services, 'database' | 'clock' | 'replica'>,
  modules: readonly Module[],
): Promise<Migrated> {
  const steps = migrationsOf(modules);
  return replica ? checkSchema(database, steps) : migrate(database, steps, clock.now());
}

/** All migrations: the kernel's, then those of the modules in their order. */
export const migrationsOf = (modules: readonly Module[]): MigrationStep[] =>
  orderMigrations([
    { module: 'kernel', migrations: kernelMigrations },
    ...modules.map(({ name, migrations }) => ({ module: name, migrations })),
  ]);

export type KernelOptions = { onError?: (error: unknown) => void };

export function createKernel(
  services: Services,
  modules: readonly Module[],
  { onError = () => {} }: KernelOptions = {},
): Kernel {
  const handlers = handlersOf(modules);
  const feed = new Feed();
  const usage = new Usage();
  const hooks = modules.flatMap((module) => module.hooks?.() ?? []);
  const rooms = hooks.find((hook) => hook.rooms)?.rooms;
  services.roomOwners?.start(rooms);
  const admit = createAdmit({ handlers, services, hooks, usage });
  const followers = new Followers({ ...services, feed, onError });
  const observer = { committed: publisher(feed, hooks, onError), batch: (size: number) => usage.countBatch(size) };
  const committer = new Committer(services, { stillAdmitted: stillAdmittedWith(hooks), ...observer });
  const replicas = new AttachedReplicas(services);
  const notes = startNotes(services, { committer, modules, replicas, onError });
  services.meter?.start(meterWork(committer), onError);
  const keeper = modules.find((module) => module.saveActivity)?.saveActivity?.();
  const saveActivity = keeper && saveActivityThrough(committer, keeper);
  startActivity(services, saveActivity, onError);
  const receive = createReceive({ modules, replicas, notes, saveActivity, auditRead: auditReadsThrough(committer) });
  const run = createRun({ services, admit, followers, committer, notes, rooms });
  const watch = createWatch({ services, usage, notes });

  async function invoke(name: OperationName, input: unknown, caller: Caller): Promise<never> {
    const call = watch(name, input, caller);
    try {
      const running = run(name, input, caller);
      const output = await (caller.wants_seq ? withSeq(running, { name, services, caller }) : running);
      call.done();
      return output as never;
    } catch (error) {
      throw call.failed(error);
    }
  }

  function waitForSeq(name: OperationName, caller: Caller): Promise<void> | undefined {
    if (!services.replica || caller.min_seq === undefined) return undefined;
    const call = watch(name, undefined, caller);
    return services.replica.waitForSeq(name, caller)?.catch((error) => {
      throw call.failed(error);
    });
  }

  const kernel: Kernel = {
    services,
    feed,
    usage,
    get queued() {
      return committer.queued;
    },
    get following() {
      return followers.count;
    },
    ...{ invoke, waitForSeq },
    ...{ open: invoke, list: invoke, serves: (name) => handlers[name] !== undefined },
    connectionAccepted: () => committer.connectionAccepted(),
    ...worksOf(committer),
    ...{ receive: (kind, item) => receive(kernel, kind, item), leaveReplicas: () => replicas.close() },
    close: () => close({ services, notes, committer, followers }),
  };
  return kernel;
}

/** Looked up after the read, so that it showed nothing later, also where it found nothing. */
async function withSeq(output: unknown, { name, services: { database }, caller }: RunningCall): Promise<unknown> {
  const { account_id } = caller;
  try {
    return await output;
  } finally {
    if (operations[name]?.effect === 'read')
      caller.seq = await readSeq(database.forAccount(account_id).read, account_id);
  }
}

async function close({ services, notes, committer, followers }: Omit<KernelParts, 'admit'>): Promise<void> {
  await notes.close();
  await services.meter?.close();
  await services.activity.close();
  await committer.close();
  // The last commits are still announced to other servers.
  followers.close();
}

/** An error of a hook does not undo the commit. */
function publisher(feed: Feed, hooks: readonly Hooks[], onError: (error: unknown) => void) {
  const listeners = hooks.flatMap(({ committed }) => committed ?? []);
  return (events: readonly LogEvent[], accountId: string, after: LogPosition): void => {
    for (const committed of listeners) {
      try {
        committed(events, accountId);
      } catch (error) {
        onError(error);
      }
    }
    feed.publish(accountId, events, after);
  };
}

type KernelParts = {
  services: Services;
  admit: Admit;
  followers: Followers;
  committer: Committer;
  notes: ReturnType<typeof startNotes>;
};

type RunParts = KernelParts & { rooms: RoomHook | undefined };

/** Runs an admitted call with the handler of its kind. */
function createRun({ services, admit, followers, committer, notes, rooms }: RunParts): RunCall {
  const run: RunCall = async (name, raw, keyCaller) => {
    const reaching = services.replica?.waitForSeq(name, keyCaller);
    if (reaching !== undefined) await reaching;
    services.replica?.refuseWrite(name);
    const { needs_notes, seals } = (operations[name] ?? {}) as Partial<Operation>;
    // They name the branch of the session.
    const early = seals && (await notes.flushPeers(keyCaller));
    const admission = admit(name, raw, keyCaller);
    const admitted = admission instanceof Promise ? await admission : admission;
    const { handler, input, lineage } = admitted;
    const caller = prepaying(name, handler, asAccount(name, input, admitted.caller));
    const call = { name, services, caller, input };
    const paying = pay(call);
    if (paying !== undefined) await paying;
    if (handler.kind === 'stream') {
      const wanted = handler.run(readContext(services, caller, lineage), input);
      const access = caller.room && rooms ? watchRoom(rooms, services, caller.room) : undefined;
      return followers.follow(caller, wanted, access ?? services.branchAccess.watch(caller, lineage));
    }
    if (handler.kind === 'control')
      return refundPrepaid(handler.run(controlContext(name, { services, committer, caller, input }), input), call);
    const isAsked = needs_notes !== undefined && needs_notes !== 'of this server';
    const gaps = early ?? (isAsked ? await notes.flushPeers(caller) : undefined);
    const waitForNotes = needs_notes ? notes.flushSession(needs_notes, input, caller) : undefined;
    // Writes of an account run in order; only reads have to wait for the flush.
    if (handler.kind === 'write' || handler.kind === 'set') {
      const preparing = handler.prepare?.(services, input, caller);
      const prepared = preparing === undefined ? undefined : await preparing;
      const checking = handler.isLarge?.(services, input, caller);
      const transaction = checking !== undefined && (await checking) ? ('large' as const) : undefined;
      const job = { name, handler, input, caller, lineage, gaps, prepared, transaction };
      return refundPrepaid(committer.submit(job), call);
    }
    await waitForNotes;
    const context = readContext(services, caller, lineage);
    if ((input as { include_quarantined?: boolean }).include_quarantined) context.view.with_quarantined = true;
    context.gaps = gaps;
    const running = isPagedByLog(operations[name])
      ? runPageOfLog(context, input, (page) => handler.run(context, page) as Promise<unknown>)
      : handler.run(context, input);
    const isPaid = caller.key !== undefined && services.meter !== undefined;
    const output = await (isPaid ? refundOnFailure(running, call) : running);
    if (handler.resourceOf && isAuditedRead(name, input, caller))
      await auditRead(services, committer, { name, resource: handler.resourceOf(input), caller });
    return output;
  };
  return services.replica ? waitingForPositions(services.replica, run) : run;
}

type RunningCall = { name: OperationName; services: Services; caller: Caller };

/** Leases are written through the committer, in order with the account's other writes. */
const meterWork =
  (committer: Committer): OnAccount =>
  async (account_id, run) => {
    const caller = { ...SELF_CALLER, account_id };
    await committer.submit({ name: 'lease of ops', ...unauditedWork(run), caller });
  };

/** The operator reads an account as if it were its owner. */
function asAccount(name: OperationName, input: { account_id?: string }, caller: Caller): Caller {
  const { effect, lines } = operations[name] as Operation;
  return effect === 'control' && lines && input.account_id !== undefined
    ? { ...caller, account_id: input.account_id }
    : caller;
}

/** A read that only admins may do gets an audit line and changes nothing else. */
const auditedRead = (resource: string, caller: Caller) => ({
  ...plainWork(async () => changed({}, { resource, ...LOOKED })),
  caller: { ...caller, idempotency_key: undefined },
});

const auditReadsThrough =
  (committer: Committer) =>
  ({ name, resource, caller }: HandedAudit): Promise<unknown> =>
    committer.submit({ name, ...auditedRead(resource, caller) });

/** A read that must be audited is not answered without its line. */
function auditRead({ replica }: Services, committer: Committer, audit: HandedAudit): Promise<unknown> {
  return replica ? replica.audit(audit) : auditReadsThrough(committer)(audit);
}

/** A read has no result to hash. */
const LOOKED = hashedBy({});

/** Collects the handlers of all modules. Every audited read must declare its resource. */
function handlersOf(modules: readonly Module[]): Handlers {
  const handlers: Handlers = Object.assign({}, ...modules.map((module) => module.handlers));
  for (const [name, handler] of Object.entries(handlers) as [OperationName, Handler<OperationName>][]) {
    const { admin, effect, lines } = operations[name] as Operation;
    const isAudited = effect === 'control' ? lines : admin && effect === 'read';
    if (isAudited && !handler.unaudited && !handler.resourceOf)
      throw new Error(`${name} is audited: its handler must declare its resource (looksAt)`);
  }
  return handlers;
}

function startActivity(
  { activity, replica }: Services,
  save: SaveActivity | undefined,
  onError: (error: unknown) => void,
): void {
  if (save) activity.start(replica ? handActivity(replica) : save, onError);
}

type ActivitySaver = ReturnType<NonNullable<Module['saveActivity']>>;

/** Counts are written through the committer, with the account's other writes. */
const saveActivityThrough =
  (committer: Committer, keep: ActivitySaver): SaveActivity =>
  async (account_id, tally) => {
    const caller = { ...SELF_CALLER, account_id };
    const job = { name: 'activity', ...unauditedWork((work) => keep(work, tally)), caller };
    await committer.submit(job).catch((error) => {
      if (!isAccountGone(error)) throw error;
    });
  };

type ControlParts = { services: Services; committer: Committer; caller: Caller; input: unknown };

const controlContext = (name: OperationName, { services, committer, caller, input }: ControlParts): ControlContext => ({
  caller,
  services,
  work: (account_id, run, as = caller) =>
    committer.submit({ name, ...plainWork(run), input, caller: { ...as, account_id } }) as Promise<never>,
});
