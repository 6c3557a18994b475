import { type Fault, type NeedsNotes, type OperationName, operations, shapes } from '@mem-service/contract';
import type { z } from 'zod';
import { type Caller, SELF_CALLER, sessionOf } from './caller.ts';
import type { Committer } from './committer.ts';
import type { Module, ReadContext, Recorder, Services } from './module.ts';
import type { NotesGaps } from './notes-gap.ts';
import type { Flush } from './observations.ts';
import { Peers } from './peers.ts';
import { unchanged } from './result.ts';
import type { Lineage } from './view.ts';
import { EVERYONE, isGone, type Work } from './work.ts';

export function readContext(services: Services, caller: Caller, lineage: Lineage): ReadContext {
  const { database, clock, observations } = services;
  const started = performance.now();
  const now = clock.now();
  const { account_id, agent_id, key } = caller;
  const { read, scan } = database.of(account_id);
  return {
    caller,
    services,
    now,
    read,
    scan,
    view: { account_id, lineage, agent_id, scope: key?.read, at: now, dialect: database.dialect },
    dialect: database.dialect,
    // To the microsecond: the rest is noise.
    elapsed: () => Math.round((performance.now() - started) * 1000) / 1000,
    note(sighting) {
      const { session_id, actor } = caller;
      observations.note(account_id, { agent_id, session: sessionOf(session_id, actor) }, sighting);
    },
  };
}

type Asked = { input: { entity_path?: string | undefined }; result_count: number; isPrivate: boolean };

/** A question about many entries, for the session that asked it. */
export function noteQuery(context: ReadContext, operation: string, { input, result_count, isPrivate }: Asked): void {
  context.note({
    kind: 'query',
    at: context.now,
    operation,
    entity_path: input.entity_path ?? null,
    parameters: input,
    result_count,
    visible_to: isPrivate ? context.caller.agent_id : EVERYONE,
    duration_ms: context.elapsed(),
  });
}

type Around = { committer: Committer; modules: readonly Module[]; onError: (error: unknown) => void };
type Refused = { input: unknown; caller: Caller; fault: Fault };

const flushThrough =
  (committer: Committer, record: Recorder, written: (accountId: string, isWritten: boolean) => void): Flush =>
  async (accountId, notes) => {
    const write = async (work: Work) => {
      // What comes next in the same transaction has to know that this failed.
      written(accountId, false);
      const done = await record(work, notes);
      written(accountId, true);
      return unchanged(done);
    };
    const keptInStore = committer.submit({
      name: 'notes of sessions',
      handler: { kind: 'write', run: write },
      input: {},
      caller: { ...SELF_CALLER, account_id: accountId },
    });
    try {
      ((await keptInStore) as Awaited<ReturnType<Recorder>>)();
    } catch (error) {
      written(accountId, isGone(error));
      if (!isGone(error)) throw error;
    }
  };

/** What is noted of sessions goes into the store with the writes of the account, in their order. */
export function keepNotes(
  { observations, activity, clock, database, server_id }: Services,
  { committer, modules, onError }: Around,
) {
  const record = modules.find((module) => module.recorder)?.recorder?.();
  const written = (accountId: string, isWritten: boolean) => observations.written(accountId, isWritten);
  if (record) observations.start(flushThrough(committer, record, written), onError, database.marks);
  const settleAll = async (accountId: string) => {
    await Promise.all([observations.settleAll(accountId), activity.flush(accountId)]);
  };
  const flush = async (accountId: string) => {
    await settleAll(accountId);
    return observations.gapOf(accountId);
  };
  const peers = new Peers({ database, clock, server_id, flush });
  return {
    settle(needed: NeedsNotes, input: { agent_id?: string; session_id?: string }, caller: Caller): Promise<void> {
      if (needed === 'of the whole account') return settleAll(caller.account_id);
      const agent_id = input.agent_id ?? caller.agent_id;
      const session = sessionOf(input.session_id ?? caller.session_id, caller.actor);
      return observations.settle(caller.account_id, { agent_id, session });
    },

    /** A session that has a name learns what went wrong in it. */
    error(name: OperationName, { input, caller, fault }: Refused): void {
      const effect = operations[name]?.effect ?? 'none';
      const given = (input ?? {}) as Record<string, unknown>;
      const named = effect === 'write' ? given : {};
      const session_id = wellNamed(shapes.sessionId, named.session_id) ?? caller.session_id;
      if (session_id === null || effect === 'none') return;
      const agent_id = wellNamed(shapes.agentId, named.agent_id) ?? caller.agent_id;
      const about = fault.detail.entity_path;
      const session = sessionOf(session_id, caller.actor);
      observations.note(
        caller.account_id,
        { agent_id, session },
        {
          kind: 'error',
          at: clock.now(),
          operation: name,
          // What the message speaks of, so that it goes when that is erased.
          entity_path: wellNamed(shapes.pathGlob, about ?? given.entity_path) ?? null,
          error_type: fault.code,
          message: fault.message.slice(0, MAX_MESSAGE_CHARS),
          // An entry that is there may be a private one.
          visible_to: about === undefined || fault.code === 'not_found' ? EVERYONE : agent_id,
        },
      );
    },

    /** The same on every other server. Says what may be missing, there and here. */
    async settleElsewhere({ account_id }: Caller): Promise<NotesGaps> {
      const elsewhere = await peers.flush(account_id);
      return () => {
        const here = observations.gapOf(account_id);
        return here ? [here, ...elsewhere] : elsewhere;
      };
    },

    async close() {
      await observations.close();
      await peers.close();
    },
  };
}

/** A refusal may quote what it refuses. */
const MAX_MESSAGE_CHARS = 4096;

/** What was refused may be refused for its names. */
const wellNamed = (shape: z.ZodType<string>, name: unknown): string | undefined => shape.safeParse(name).data;
