import { setTimeout as sleep } from 'node:timers/promises';
import type { NotesGap } from '../notes-gap.ts';
import type { FlushRequest, HandedFlush } from './attached-replicas.ts';
import type { PrimaryLink } from './replica.ts';

const RETRY_MS = 1_000;

export type AttachOptions = {
  link: PrimaryLink;
  server_id: string;
  /** Hands over the notes of an account. Returns why some are missing, if any are. */
  flush: (accountId: string) => Promise<NotesGap | undefined>;
};

/** Asks a server that writes, again and again, which notes it needs now. Returns the function that ends it. */
export function attachTo({ link, server_id, flush }: AttachOptions): () => Promise<void> {
  const over = new AbortController();
  const answer = async ({ token, account_id }: FlushRequest) => {
    const gap = await flush(account_id);
    const before = gap ? (gap.before ?? Number.MAX_SAFE_INTEGER) : 0;
    const done: HandedFlush = { server_id, token, before };
    await link.hand('flushed', done);
  };
  const follow = async () => {
    while (!over.signal.aborted) {
      try {
        const requests = await link.ask<FlushRequest[]>('attach', { server_id });
        for (const request of requests) void answer(request).catch(() => {});
      } catch {
        await sleep(RETRY_MS, undefined, { signal: over.signal, ref: false }).catch(() => {});
      }
    }
  };
  void follow();
  return async () => {
    over.abort();
    await link.hand('detach', { server_id }).catch(() => {});
  };
}
