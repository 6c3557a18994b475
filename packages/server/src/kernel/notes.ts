import { type Fault, type NeedsNotes, type OperationName, operations, shapes } from '@mem-service/contract';
import type { z } from 'zod';
import { isAccountGone } from './account-gone.ts';
import { mayActAs } from './authorize-agent.ts';
import { type Caller, SELF_CALLER } from './caller.ts';
import type { Committer } from './committer.ts';
import type { Module, NoteRecorder, ReadContext, Services } from './module.ts';
import type { FlushNotes, NoteBuffer } from './note-buffer.ts';
import type { NotesGap, NotesGaps } from './notes-gap.ts';
import { Peers } from './peers.ts';
import { attachTo } from './replica/attach.ts';
import type { AttachedReplicas } from './replica/attached-replicas.ts';
import { handNotes } from './replica/hand-notes.ts';
import { unchanged } from './result.ts';
import { sessionName } from './session-name.ts';
import { branchOf, type Lineage } from './view.ts';
import { EVERYONE, type Work } from './work.ts';

export function readContext(services: Services, caller: Caller, lineage: Lineage): ReadContext {
  const { database, clock, noteBuffer } = services;
  const started = performance.now();
  const now = clock.now();
  const { account_id, agent_id, key } = caller;
  const reads = database.forAccount(account_id);
  return {
    caller,
    services,
    now,
    read: reads.read,
    scan: reads.scan,
    find: (find, key) => reads.find(find, key),
    view: { account_id, lineage, agent_id, scope: key?.read, at: now, dialect: database.dialect },
    dialect: database.dialect,
    // To the microsecond; finer digits are noise.
    elapsed: () => Math.round((performance.now() - started) * 1000) / 1000,
    note(sighting) {
      noteBuffer.note(account_id, { agent_id, session: sessionName(caller.session_id, caller) }, sighting);
    },
  };
}

type QueryFacts = {
  input: { entity_path?: string | undefined };
  result_count: number;
  isPrivate: boolean;
  /** The entries whose values the caller was shown. */
  shown?: readonly { entry_id: number; version: number }[];
};

/** More than anyone reads. A caller says which of them it used. */
const MAX_SHOWN = 50;

/** Notes a query that returned many entries, for the caller's session. */
export function noteQuery(
  context: ReadContext,
  operation: string,
  { input, result_count, isPrivate, shown = [] }: QueryFacts,
): void {
  context.note({
    kind: 'query',
    at: context.now,
    branch: branchOf(context.view),
    operation,
    entity_path: input.entity_path ?? null,
    parameters: input,
    result_count,
    shown: shown.slice(0, MAX_SHOWN).flatMap(({ entry_id, version }) => [entry_id, version]),
    visible_to: isPrivate ? context.caller.agent_id : EVERYONE,
    duration_ms: context.elapsed(),
  });
}

type NoteParts = {
  committer: Committer;
  modules: readonly Module[];
  replicas: AttachedReplicas;
  onError: (error: unknown) => void;
};
type RefusedCall = { input: unknown; caller: Caller; fault: Fault };

/** Where notes come from: this server's buffer, or another server, which has one of its own. */
type NoteSource = Pick<NoteBuffer, 'written' | 'dropNotes'>;
const OTHER_SERVER: NoteSource = { written() {}, dropNotes() {} };

type NoteWriter = { committer: Committer; record: NoteRecorder; from: NoteSource };

function flushNotesThrough(services: Services, { committer, record, from }: NoteWriter): FlushNotes {
  const { knownLogs, clock } = services;
  return async (accountId, notes) => {
    const written = (id: string, isWritten: boolean) => from.written(id, isWritten);
    const { rewinds } = knownLogs;
    const write = async (work: Work) => {
      if (knownLogs.rewinds !== rewinds) {
        // These were taken before the log was found to be set back.
        from.dropNotes(accountId, clock.now());
        written(accountId, true);
        return unchanged(() => {});
      }
      try {
        const done = await record(work, notes);
        written(accountId, true);
        return unchanged(done);
      } catch (error) {
        // Now, not after the commit: later writes in the same transaction must see it.
        written(accountId, false);
        throw error;
      }
    };
    const keptInStore = committer.submit({
      name: 'notes of sessions',
      handler: { kind: 'write', run: write },
      input: {},
      caller: { ...SELF_CALLER, account_id: accountId },
    });
    try {
      ((await keptInStore) as Awaited<ReturnType<NoteRecorder>>)();
    } catch (error) {
      written(accountId, isAccountGone(error));
      if (!isAccountGone(error)) throw error;
    }
  };
}

/** What other servers have in memory is not seen by one that only reads. */
const UNSEEN: NotesGap = { reason: 'this server only reads: what others have not stored yet is not here' };

/** The servers whose notes are needed too: those on the same store, and those that only read. */
function otherServers(services: Services, replicas: AttachedReplicas, flush: FlushAccount) {
  const { replica, server_id } = services;
  if (replica) {
    const detach = replica.link && attachTo({ link: replica.link, server_id, flush });
    return { flush: async (): Promise<readonly NotesGap[]> => [UNSEEN], close: async () => detach?.() };
  }
  const flushAll = async (accountId: string) => {
    const [gap, [elsewhere]] = await Promise.all([flush(accountId), replicas.flush(accountId)]);
    return gap ?? elsewhere;
  };
  const peers = new Peers({ ...services, flush: flushAll });
  return {
    async flush(accountId: string): Promise<readonly NotesGap[]> {
      if (replicas.isEmpty) return peers.flush(accountId);
      return (await Promise.all([peers.flush(accountId), replicas.flush(accountId)])).flat();
    },
    async close() {
      replicas.close();
      await peers.close();
    },
  };
}

type FlushAccount = (accountId: string) => Promise<NotesGap | undefined>;

/** Notes an error for a named session. */
const noteErrors =
  ({ noteBuffer, clock }: Services) =>
  (name: OperationName, { input, caller, fault }: RefusedCall): void => {
    const effect = operations[name]?.effect ?? 'none';
    const given = (input ?? {}) as Record<string, unknown>;
    const named = effect === 'write' ? given : {};
    const session_id = validName(shapes.sessionId, named.session_id) ?? caller.session_id;
    if (session_id === null || effect === 'none') return;
    const agent_id = validName(shapes.agentId, named.agent_id) ?? caller.agent_id;
    if (!mayActAs(caller, agent_id)) return;
    const about = fault.detail.entity_path;
    const session = sessionName(session_id, caller);
    noteBuffer.note(
      caller.account_id,
      { agent_id, session },
      {
        kind: 'error',
        at: clock.now(),
        operation: name,
        // The path that the message is about, so that erasing the path also erases the message.
        entity_path: validName(shapes.pathGlob, about ?? given.entity_path) ?? null,
        error_type: fault.code,
        message: fault.message.slice(0, MAX_MESSAGE_CHARS),
        // Any other error about an entry reveals that the entry exists, and it may be private.
        visible_to: about === undefined || fault.code === 'not_found' ? EVERYONE : agent_id,
      },
    );
  };

/** Writes notes through the committer, so that they keep their order with the account's other writes. */
export function startNotes(services: Services, { committer, modules, replicas, onError }: NoteParts) {
  const { noteBuffer, activity, clock, database, replica, knownLogs } = services;
  const record = modules.find((module) => module.recorder)?.recorder?.();
  knownLogs.onRewind((accountId) => noteBuffer.dropNotes(accountId, clock.now()));
  if (replica) {
    noteBuffer.onMiss = (what, count) => replica.miss(what, count);
    const written = (accountId: string, isWritten: boolean) => noteBuffer.written(accountId, isWritten);
    // The link reports that the other server is away.
    noteBuffer.start(handNotes(replica, written), () => {});
  } else if (record)
    noteBuffer.start(flushNotesThrough(services, { committer, record, from: noteBuffer }), onError, database.marks);
  const flushAccount = async (accountId: string) => {
    await Promise.all([noteBuffer.flushAccount(accountId), activity.flush(accountId)]);
  };
  const flush = async (accountId: string) => {
    await flushAccount(accountId);
    return noteBuffer.gapOf(accountId);
  };
  const others = otherServers(services, replicas, flush);
  return {
    /** For notes of other servers, which keep count of their own. */
    write: record && flushNotesThrough(services, { committer, record, from: OTHER_SERVER }),

    flushSession(needed: NeedsNotes, input: { agent_id?: string; session_id?: string }, caller: Caller): Promise<void> {
      if (needed === 'of the whole account') return flushAccount(caller.account_id);
      const agent_id = input.agent_id ?? caller.agent_id;
      const session = sessionName(input.session_id ?? caller.session_id, caller);
      return noteBuffer.flushSession(caller.account_id, { agent_id, session });
    },

    error: noteErrors(services),

    /** Does the same on every other server. Returns which notes may be missing, there and here. */
    async flushPeers({ account_id }: Caller): Promise<NotesGaps> {
      const elsewhere = await others.flush(account_id);
      return () => {
        const here = noteBuffer.gapOf(account_id);
        return here ? [here, ...elsewhere] : elsewhere;
      };
    },

    async close() {
      await noteBuffer.close();
      await others.close();
    },
  };
}

/** An error message may quote the input. */
const MAX_MESSAGE_CHARS = 4096;

/** The refused input may hold invalid names. */
const validName = (shape: z.ZodType<string>, name: unknown): string | undefined => shape.safeParse(name).data;
