import { Fault } from '@mem-service/contract';
import type { Services } from '../module.ts';
import type { NotesGap } from '../notes-gap.ts';
import { RETURN_MS } from '../servers/known-servers.ts';

/** A question waits so long for something to ask of the replica; then the replica asks again. */
const HOLD_MS = 10_000;
/** Less than other servers wait for this one. */
const FLUSH_TIMEOUT_MS = 400;
/** A replica that has not asked for this long is gone. */
const SILENT_MS = HOLD_MS + 5_000;
const MAX_REPLICAS = 1_000;

/** Notes of this account are needed now. */
export type FlushRequest = { token: string; account_id: string };
export type HandedFlush = { server_id: string; token: string; before: number };

type AttachedReplica = {
  waiting: FlushRequest[];
  /** Answers the question that the replica has open. */
  answer: (() => void) | undefined;
  seenAt: number;
  clockAt: number;
};

type PendingReplicas = { left: Set<string>; gaps: NotesGap[]; done: () => void };

/**
 * The servers that only read and hand their notes to this one. They have the notes of the last moments in memory; before a
 * session is sealed they are asked for them. A replica always has a question open, which is answered with what is needed.
 */
export class AttachedReplicas {
  readonly #services: Pick<Services, 'clock' | 'database' | 'server_id'>;
  readonly #replicas = new Map<string, AttachedReplica>();
  readonly #pending = new Map<string, PendingReplicas>();
  readonly #stop: () => void;
  #tokens = 0;
  #isClosed = false;

  constructor(services: Pick<Services, 'clock' | 'database' | 'server_id'>) {
    this.#services = services;
    this.#stop = services.database.onAnnounce((topic) => this.#hear(topic.split(' ')));
  }

  /** Behind one address there may be several servers: what a replica says reaches any of them. */
  #announce(...words: string[]): void {
    this.#services.database.announce(words.join(' '), 0);
  }

  #hear([word, id = '', ...more]: string[]): void {
    const [what = '', before = '0'] = more;
    if (word === 'replica-at' && what !== this.#services.server_id) this.#drop(id);
    if (word === 'replica-left') this.#drop(id);
    if (word === 'replica-flushed') this.#done({ server_id: id, token: what, before: Number(before) });
  }

  get isEmpty(): boolean {
    return this.#replicas.size === 0;
  }

  /** What the replica has to hand over now; empty after a while in which nothing was needed. */
  async nextRequests(serverId: string): Promise<FlushRequest[]> {
    if (this.#isClosed) throw new Fault('unavailable', 'this server is stopping');
    const replica = this.#seen(serverId);
    replica.answer?.();
    if (replica.waiting.length === 0)
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, HOLD_MS).unref();
        replica.answer = () => {
          clearTimeout(timer);
          replica.answer = undefined;
          resolve();
        };
      });
    return replica.waiting.splice(0);
  }

  #seen(serverId: string): AttachedReplica {
    const now = { seenAt: performance.now(), clockAt: this.#services.clock.now() };
    const known = this.#replicas.get(serverId);
    if (known) return Object.assign(known, now);
    const [oldest] = this.#replicas.keys();
    if (this.#replicas.size >= MAX_REPLICAS && oldest !== undefined) this.#drop(oldest);
    this.#announce('replica-at', serverId, this.#services.server_id);
    const replica: AttachedReplica = { waiting: [], answer: undefined, ...now };
    this.#replicas.set(serverId, replica);
    return replica;
  }

  left(serverId: string): void {
    this.#drop(serverId);
    this.#announce('replica-left', serverId);
  }

  #drop(serverId: string): void {
    this.#replicas.get(serverId)?.answer?.();
    this.#replicas.delete(serverId);
  }

  /** Resolves when every replica has handed over its notes of the account, or after the timeout. */
  async flush(account_id: string): Promise<NotesGap[]> {
    if (this.isEmpty) return [];
    const since = performance.now() - SILENT_MS;
    const gaps: NotesGap[] = [];
    const left = new Set<string>();
    for (const [id, { seenAt, clockAt }] of this.#replicas)
      if (seenAt > since) left.add(id);
      else gaps.push({ reason: `server ${id} ended or froze with reads in its memory`, before: clockAt + RETURN_MS });
    if (left.size === 0) return gaps;
    const token = `${this.#services.server_id}.${++this.#tokens}`;
    await new Promise<void>((done) => {
      const timer = setTimeout(done, FLUSH_TIMEOUT_MS).unref();
      const end = () => {
        clearTimeout(timer);
        done();
      };
      this.#pending.set(token, { left, gaps, done: end });
      for (const id of left) this.#request(id, { token, account_id });
    });
    this.#pending.delete(token);
    for (const id of left) gaps.push({ reason: `server ${id} did not hand over its reads in time` });
    return gaps;
  }

  #request(serverId: string, request: FlushRequest): void {
    const replica = this.#replicas.get(serverId);
    replica?.waiting.push(request);
    replica?.answer?.();
  }

  flushed(done: HandedFlush): void {
    if (this.#pending.has(done.token)) this.#done(done);
    else this.#announce('replica-flushed', done.server_id, done.token, String(done.before));
  }

  #done({ server_id, token, before }: HandedFlush): void {
    const pending = this.#pending.get(token);
    if (!pending?.left.delete(server_id)) return;
    if (before > 0) pending.gaps.push({ reason: `server ${server_id} could not note all of its reads`, before });
    if (pending.left.size === 0) pending.done();
  }

  close(): void {
    this.#isClosed = true;
    this.#stop();
    for (const id of [...this.#replicas.keys()]) this.#drop(id);
  }
}
