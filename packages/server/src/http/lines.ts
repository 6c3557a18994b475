import { Readable } from 'node:stream';
import { Fault } from '@mem-service/contract';
import type { FastifyReply } from 'fastify';
import type { Lines } from '../kernel/index.ts';
import { type AnswerRoom, millisecondsFor } from './answers-in-flight.ts';

const CHUNK_BYTES = 64 * 1024;

/** How many answers in lines are sent at once. */
export type LinesLimits = { perAccount: number; inAll: number };
const LINES_LIMITS: LinesLimits = { perAccount: 2, inAll: 8 };

const tooMany = (whose: string) =>
  new Fault('unavailable', `too many exports ${whose} are under way: read them to their end, or close them`, {
    retry_after: 5,
  });

/**
 * Bounds the answers in lines that are under way. Each holds a snapshot of the store, and room for a page among the
 * answers in flight, until its reader has taken it.
 */
export class OpenLines {
  readonly stallMs: number;
  readonly #room: AnswerRoom;
  readonly #limits: LinesLimits;
  readonly #accounts = new Map<string, number>();
  #all = 0;

  constructor(room: AnswerRoom, limits: LinesLimits = LINES_LIMITS) {
    this.#room = room;
    this.#limits = limits;
    this.stallMs = room.stallMs;
  }

  /** Takes a place before any work is done. Returns the function that leaves it. */
  async begin(account: string): Promise<() => void> {
    if ((this.#accounts.get(account) ?? 0) >= this.#limits.perAccount) throw tooMany('of this account');
    if (this.#all >= this.#limits.inAll) throw tooMany('of this service');
    this.#count(account, 1);
    try {
      const { inFlight, sizes } = this.#room;
      await inFlight.begin(account, sizes.page);
      const taken = inFlight.made(account, sizes.page, sizes.page);
      return () => {
        this.#count(account, -1);
        taken();
      };
    } catch (error) {
      this.#count(account, -1);
      throw error;
    }
  }

  #count(account: string, more: 1 | -1): void {
    const count = (this.#accounts.get(account) ?? 0) + more;
    if (count > 0) this.#accounts.set(account, count);
    else this.#accounts.delete(account);
    this.#all += more;
  }
}

/**
 * How long a reader may still take for what waits for it: what it takes gives it time, and what it did not use is kept
 * up to the time that it may take nothing.
 */
export class ReaderTime {
  readonly #stallMs: number;
  #left: number;

  constructor(stallMs: number) {
    this.#stallMs = stallMs;
    this.#left = stallMs;
  }

  /** The time for the next bytes. */
  allow(bytes: number): number {
    this.#left = Math.min(this.#left, this.#stallMs) + millisecondsFor(bytes);
    return this.#left;
  }

  use(ms: number): void {
    this.#left -= ms;
  }
}

type LinesAnswer = { reply: FastifyReply; account: string };

/** Answers with lines once there is a place for them. A failure before the first line is answered as a problem. */
export async function answerInLines(
  open: OpenLines,
  { reply, account }: LinesAnswer,
  list: () => Promise<Lines>,
): Promise<FastifyReply> {
  const leave = await open.begin(account);
  let lines: Lines | undefined;
  try {
    lines = await list();
    const sent = await sendLines(reply, lines, open.stallMs);
    void endLines(reply, lines).finally(leave);
    return sent;
  } catch (error) {
    await lines?.return();
    leave();
    throw error;
  }
}

/** Sends lines no faster than the client takes them. */
async function sendLines(reply: FastifyReply, lines: Lines, stallMs: number): Promise<FastifyReply> {
  const first = await lines.next();
  reply.header('content-type', 'application/x-ndjson; charset=utf-8').header('cache-control', 'private, no-store');
  if (reply.request.method === 'HEAD') return reply.send();
  const chunks = chunksOf(first, lines, new ReaderClock(reply, stallMs));
  // Not in object mode, which holds sixteen chunks, whatever their size.
  return reply.send(Readable.from(chunks, { objectMode: false, highWaterMark: CHUNK_BYTES }));
}

/** Ends the lines when their reader has taken the answer or has gone. */
async function endLines({ raw }: FastifyReply, lines: Lines): Promise<void> {
  if (!raw.destroyed && !raw.writableFinished)
    await new Promise<void>((resolve) => {
      raw.once('finish', resolve).once('close', resolve);
    });
  // The lines have ended for their reader, whatever the store says to it.
  await lines.return().catch(() => {});
}

/** Disconnects a reader that does not take a chunk in its time. */
class ReaderClock {
  readonly #raw: FastifyReply['raw'];
  readonly #time: ReaderTime;

  constructor({ raw }: FastifyReply, stallMs: number) {
    this.#raw = raw;
    this.#time = new ReaderTime(stallMs);
  }

  start(bytes: number): () => void {
    const began = performance.now();
    const timer = setTimeout(() => this.#raw.destroy(), this.#time.allow(bytes));
    return () => {
      clearTimeout(timer);
      this.#time.use(performance.now() - began);
    };
  }
}

async function* chunksOf(first: IteratorResult<string, void>, lines: Lines, reader: ReaderClock) {
  let chunk = '';
  for (let next = first; !next.done || chunk !== ''; next = await lines.next()) {
    if (!next.done) chunk += `${next.value}\n`;
    if (!next.done && chunk.length < CHUNK_BYTES) continue;
    const bytes = Buffer.from(chunk);
    chunk = '';
    const taken = reader.start(bytes.length);
    try {
      yield bytes;
    } finally {
      taken();
    }
  }
}
