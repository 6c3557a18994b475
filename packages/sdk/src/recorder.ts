import type { JsonObject, OperationName } from '@mem-service/contract';
import { JsonText } from '@mem-service/contract/client';

type QueuedRecord = { name: OperationName; input: JsonObject; chars: number };

export type RecorderOptions = {
  send(name: OperationName, input: JsonObject, signal: AbortSignal): Promise<unknown>;
  /** Receives the errors of records that could not be sent. */
  report(error: unknown): void;
  maxQueued: number;
  flushTimeoutMs: number;
};

const AT_ONCE = 4;
/** Counts inputs and outputs; the rest of a record is small. */
const MAX_WAITING_CHARS = 16_000_000;
const GIVEN_UP = new Error('given up');

/** Sends records in the background: adding one neither waits nor throws. */
export class BackgroundRecorder {
  readonly #options: RecorderOptions;
  readonly #flushing = new Set<() => void>();
  #waiting: QueuedRecord[] = [];
  #waitingChars = 0;
  #underway = 0;
  #isHeld = false;
  #isPlanned = false;
  #ended: Error | undefined;
  #giveUp = new AbortController();

  constructor(options: RecorderOptions) {
    this.#options = options;
  }

  add(name: OperationName, input: JsonObject): void {
    const { report, maxQueued } = this.#options;
    const chars = charsOf(input);
    const isFull = this.#waiting.length >= maxQueued || this.#waitingChars + chars > MAX_WAITING_CHARS;
    if (this.#ended) report(this.#ended);
    else if (isFull) report(new Error(`a record was dropped: ${this.#waiting.length} are waiting to be sent already`));
    else {
      this.#waiting.push({ name, input, chars });
      this.#waitingChars += chars;
      this.#plan();
    }
  }

  /** Waits until every record is sent or dropped. */
  async flush(): Promise<void> {
    if (this.#underway === 0 && this.#waiting.length === 0) return;
    const timer = setTimeout(() => this.#drop(), this.#options.flushTimeoutMs);
    await new Promise<void>((done) => {
      this.#flushing.add(done);
      this.#plan();
    });
    clearTimeout(timer);
  }

  /** Queues new records without sending them, until `release` or `end`. */
  hold(): void {
    this.#isHeld = true;
  }

  release(): void {
    this.#isHeld = false;
    this.#plan();
  }

  /** Refuses further records. */
  end(reason: Error): void {
    this.#ended = reason;
    for (const _ of this.#waiting) this.#options.report(reason);
    this.#empty();
    this.#isHeld = false;
    this.#finishSend();
  }

  /** Sends after a short delay, so that the recorded work goes first. */
  #plan(): void {
    if (this.#isPlanned) return;
    this.#isPlanned = true;
    setTimeout(() => this.#pump(), 0);
  }

  #pump(): void {
    this.#isPlanned = false;
    while (!this.#isHeld && this.#underway < AT_ONCE) {
      const item = this.#waiting.shift();
      if (!item) break;
      this.#waitingChars -= item.chars;
      this.#underway++;
      void this.#send(item);
    }
    this.#finishSend();
  }

  async #send({ name, input }: QueuedRecord): Promise<void> {
    const { send, report } = this.#options;
    try {
      await send(name, input, this.#giveUp.signal);
    } catch (error) {
      if (error !== GIVEN_UP) report(error);
    } finally {
      this.#underway--;
      this.#pump();
    }
  }

  #finishSend(): void {
    if (this.#underway === 0 && (this.#waiting.length === 0 || this.#isHeld)) this.#letGo();
  }

  #letGo(): void {
    for (const done of this.#flushing) done();
    this.#flushing.clear();
  }

  #empty(): void {
    this.#waiting = [];
    this.#waitingChars = 0;
  }

  #drop(): void {
    const { report, flushTimeoutMs } = this.#options;
    const lost = this.#waiting.length + this.#underway;
    this.#empty();
    report(new Error(`${lost} records were given up: they could not be sent within ${flushTimeoutMs} ms`));
    this.#giveUp.abort(GIVEN_UP);
    this.#giveUp = new AbortController();
    this.#letGo();
  }
}

const charsOf = (input: JsonObject): number =>
  Object.values(input).reduce<number>((sum, value) => sum + (value instanceof JsonText ? value.text.length : 0), 0);
