import { Fault, type OperationName } from '@mem-service/contract';
import type { SaveActivity } from '../activity.ts';
import type { Caller } from '../caller.ts';
import type { Kernel, Module } from '../module.ts';
import type { FlushNotes } from '../note-buffer.ts';
import type { AttachedReplicas, HandedFlush } from './attached-replicas.ts';
import { type HandedNotes, type HandedTally, toDayTally } from './hand-notes.ts';

/** Stores what a server that only reads hands over. Returns the answer to that server. */
export type TakeHanded = (kernel: Kernel, item: never) => Promise<unknown>;

export type HandedAudit = { name: OperationName; resource: string; caller: Caller };

export type ReceiverParts = {
  modules: readonly Module[];
  replicas: AttachedReplicas;
  notes: { write: FlushNotes | undefined };
  saveActivity: SaveActivity | undefined;
  auditRead: (audit: HandedAudit) => Promise<unknown>;
};

/** What the kernel itself takes, beside what its modules do. */
export function createReceive({ modules, replicas, notes, saveActivity, auditRead }: ReceiverParts) {
  const takers: Record<string, TakeHanded> = {
    notes: async (_, { account_id, notes: handed }: HandedNotes) => notes.write?.(account_id, handed),
    activity: async (_, { account_id, tally }: HandedTally) => saveActivity?.(account_id, toDayTally(tally)),
    audit: async (_, audit: HandedAudit) => void (await auditRead(audit)),
    attach: async (_, { server_id }: { server_id: string }) => replicas.nextRequests(server_id),
    flushed: async (_, done: HandedFlush) => replicas.flushed(done),
    detach: async (_, { server_id }: { server_id: string }) => replicas.left(server_id),
    ...Object.assign({}, ...modules.map(({ takesOver }) => takesOver ?? {})),
  };
  return async (kernel: Kernel, kind: string, item: unknown): Promise<unknown> => {
    const { replica } = kernel.services;
    if (replica) throw replica.refusal();
    const take = Object.hasOwn(takers, kind) ? takers[kind] : undefined;
    if (!take) throw new Fault('invalid_input', `nothing is known of ${JSON.stringify(kind)}: is it another version?`);
    return take(kernel, item as never);
  };
}
