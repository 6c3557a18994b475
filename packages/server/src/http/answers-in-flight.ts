import { Fault, type OperationName, operations } from '@mem-service/contract';
import type { FastifyReply } from 'fastify';
import type * as z from 'zod';
import type { AnswerLimits } from '../kernel/index.ts';

/** An answer that is not larger than this fits into the buffer that every connection has, and is not counted. */
export const SMALL_ANSWER_BYTES = 16 * 1024;

/** Of an account, or of all: answers being made, with the most bytes they may have, and those made and unread. */
type BytesInFlight = { making: number; unread: number; waiting: number };

type WaitingAnswer = { whose: BytesInFlight; bytes: number; start(): void; refuse(error: Fault): void };

const MAX_WAITING = 1000;
/** Accounts without answers in flight that are remembered. */
const MAX_IDLE = 1000;

const tooMany = (whose: string) =>
  new Fault('unavailable', `too many answers ${whose} are not read yet: read them, or close their connections`, {
    retry_after: 1,
  });

/**
 * Bounds the memory that answers take. Room for the largest possible answer is taken before any work is done. An answer
 * waits for others that are being made, which takes milliseconds; it is refused where others wait for their readers.
 */
export class AnswersInFlight {
  readonly #limits: AnswerLimits;
  readonly #accounts = new Map<string, BytesInFlight>();
  readonly #all: BytesInFlight = { making: 0, unread: 0, waiting: 0 };
  readonly #waiting = new Set<WaitingAnswer>();

  constructor(limits: AnswerLimits) {
    this.#limits = limits;
  }

  /** The bytes that readers have not taken. */
  get unread(): number {
    return this.#all.unread;
  }

  /** Takes room for an answer of up to so many bytes. Waits where there is none yet. */
  begin(account: string, bytes: number): Promise<void> | undefined {
    const whose = this.#of(account);
    const refusal = this.#refusal(whose, bytes);
    if (refusal) throw refusal;
    if (whose.waiting === 0 && this.#fits(whose, bytes)) {
      this.#add(whose, bytes, 0);
      return undefined;
    }
    if (this.#waiting.size >= MAX_WAITING) throw tooMany('of this service');
    whose.waiting++;
    return new Promise((start, refuse) => this.#waiting.add({ whose, bytes, start, refuse }));
  }

  /** The answer is made, or failed with 0 bytes. Returns the function to call once its reader has taken it. */
  made(account: string, most: number, bytes: number): () => void {
    const whose = this.#of(account);
    const unread = bytes > SMALL_ANSWER_BYTES ? bytes : 0;
    this.#add(whose, -most, unread);
    if (this.#waiting.size > 0) this.#next();
    if (unread === 0) return nothing;
    return () => {
      this.#add(whose, 0, -unread);
      if (this.#waiting.size > 0) this.#next();
    };
  }

  /** One answer is always possible, however small the limits are. */
  #fits({ making, unread }: BytesInFlight, bytes: number): boolean {
    const all = this.#all.making + this.#all.unread;
    return (making + unread + bytes <= this.#limits.perAccount && all + bytes <= this.#limits.inAll) || all === 0;
  }

  /** Why waiting would not help. */
  #refusal({ unread }: BytesInFlight, bytes: number): Fault | undefined {
    if (this.#all.unread === 0) return undefined;
    if (unread > 0 && unread + bytes > this.#limits.perAccount) return tooMany('of this account');
    return this.#all.unread + bytes > this.#limits.inAll ? tooMany('of this service') : undefined;
  }

  #of(account: string): BytesInFlight {
    let whose = this.#accounts.get(account);
    if (!whose) {
      if (this.#accounts.size >= MAX_IDLE) this.#dropIdle();
      whose = { making: 0, unread: 0, waiting: 0 };
      this.#accounts.set(account, whose);
    }
    return whose;
  }

  #dropIdle(): void {
    for (const [account, { making, unread, waiting }] of this.#accounts)
      if (making === 0 && unread === 0 && waiting === 0) this.#accounts.delete(account);
  }

  #add(whose: BytesInFlight, making: number, unread: number): void {
    whose.making += making;
    whose.unread += unread;
    this.#all.making += making;
    this.#all.unread += unread;
  }

  #next(): void {
    for (const waiting of this.#waiting) {
      const { whose, bytes, start, refuse } = waiting;
      const refusal = this.#refusal(whose, bytes);
      if (!refusal && !this.#fits(whose, bytes)) continue;
      this.#waiting.delete(waiting);
      whose.waiting--;
      if (refusal) refuse(refusal);
      else {
        this.#add(whose, bytes, 0);
        start();
      }
    }
  }
}

const nothing = () => {};

const hasMember = (output: z.ZodType, name: string): boolean => name in ((output as z.ZodObject).shape ?? {});

/** The sizes that answers of an operation may have. */
export type AnswerSizes = { page: number; document: number };

/**
 * The most bytes of an answer: of a list or of what is cut, a page; of another read, a document. A write answers with what
 * its body holds, which is bounded already.
 */
export function largestAnswer(name: OperationName, { page, document }: AnswerSizes): number {
  const { effect, output } = operations[name];
  if (effect === 'write' || effect === 'none') return 0;
  return hasMember(output, 'has_more') || hasMember(output, 'truncated') ? page : document;
}

/** What answers need to take room: whose it is, and how long a reader may take nothing. */
export type AnswerRoom = { inFlight: AnswersInFlight; sizes: AnswerSizes; stallMs: number };

export type MadeAnswer<T> = { answer: T; bytes: number };
type AnswerInRoom = { reply: FastifyReply; account: string; most: number };

/** After the answer is made, or failed with 0 bytes. Its room is free again when the reader has taken it. */
export function leaveRoom(
  { inFlight, stallMs }: AnswerRoom,
  { reply, account, most }: AnswerInRoom,
  bytes: number,
): void {
  const taken = inFlight.made(account, most, bytes);
  if (bytes > SMALL_ANSWER_BYTES) onceTaken(reply, { bytes, stallMs }, taken);
}

/** A reader has to take at least this much, beside the time that it may take nothing. */
const BYTES_PER_SECOND = 16 * 1024;

export const millisecondsFor = (bytes: number): number => (bytes / BYTES_PER_SECOND) * 1000;

type SentAnswer = { bytes: number; stallMs: number };

/** Calls back when the reader has taken the answer or has gone. One that is too slow is disconnected. */
function onceTaken({ raw }: FastifyReply, { bytes, stallMs }: SentAnswer, taken: () => void): void {
  if (raw.destroyed || raw.writableFinished) {
    taken();
    return;
  }
  const timer = setTimeout(() => raw.destroy(), stallMs + millisecondsFor(bytes));
  const end = () => {
    clearTimeout(timer);
    raw.off('finish', end).off('close', end);
    taken();
  };
  raw.once('finish', end).once('close', end);
}
