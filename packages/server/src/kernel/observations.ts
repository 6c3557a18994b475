/** An entry as a caller was shown it. */
export type SeenEntry = {
  kind: 'read';
  entry_id: number;
  version: number;
  branch: string;
  entity_path: string;
  key: string;
  visible_to: string;
  written_by: string;
  confidence: number;
  standing: string | null;
  /** Whether it was the current version. */
  is_current: boolean;
  duration_ms: number;
};

/** A question about many entries. */
export type AskedQuery = {
  kind: 'query';
  operation: string;
  entity_path: string | null;
  parameters: Record<string, unknown>;
  result_count: number;
  /** One that was answered with private entries is as private as they are. */
  visible_to: string;
  duration_ms: number;
};

/** A refusal that a session met. */
export type MetError = {
  kind: 'error';
  operation: string;
  entity_path: string | null;
  error_type: string;
  message: string;
  visible_to: string;
};

/** An entry that came first among the answers to a question, once or so many times. */
export type RecalledEntry = { kind: 'recall'; branch: string; entity_path: string; key: string; times?: number };

export type Sighting = SeenEntry | AskedQuery | MetError | RecalledEntry;
export type Observation = Sighting & { agent_id: string; session: string; at: number };

/** Writes what was seen in an account. Gives back what it has put off; nothing is put off the last time. */
export type Flush = (
  accountId: string,
  seen: { observations: Observation[]; isLast: boolean },
) => Promise<readonly Observation[]>;

const MAX_WAITING = 20_000;
const FLUSH_MS = 100;

/**
 * What callers see is noted beside their requests: kept in memory for a moment, written in batches, and written at once
 * when somebody needs it.
 */
export class Observations {
  readonly #waiting = new Map<string, Map<string, Observation[]>>();
  #flush: Flush | undefined;
  #onError: (error: unknown) => void = () => {};
  #timer: NodeJS.Timeout | undefined;
  #count = 0;
  readonly #running = new Map<string, Promise<void>>();

  readonly #isOn: boolean;

  constructor(isOn = true) {
    this.#isOn = isOn;
  }

  /** Nothing is noted before somebody takes it. */
  start(flush: Flush, onError: (error: unknown) => void): void {
    if (this.#isOn) this.#flush = flush;
    this.#onError = onError;
  }

  note(accountId: string, observation: Observation): void {
    if (!this.#flush || this.#count >= MAX_WAITING) return;
    const sessions = this.#waiting.get(accountId) ?? new Map<string, Observation[]>();
    this.#waiting.set(accountId, sessions);
    const name = nameOf(observation);
    const known = sessions.get(name);
    if (known) known.push(observation);
    else sessions.set(name, [observation]);
    this.#count++;
    this.#timer ??= setTimeout(() => void this.flushAll(), FLUSH_MS).unref();
  }

  /** Settles once everything that was noted of an account is in the store. */
  async settleAll(accountId: string): Promise<void> {
    if (this.#waiting.has(accountId)) return this.flush(accountId);
    await this.#running.get(accountId);
  }

  /** Settles once everything that was noted of a session is in the store. */
  async settle(accountId: string, session: { agent_id: string; session: string }): Promise<void> {
    if (this.#waiting.get(accountId)?.has(nameOf(session))) return this.flush(accountId);
    await this.#running.get(accountId);
  }

  /** Hands over everything of an account. What could not be written waits for the next time. */
  async flush(accountId: string, isLast = false): Promise<void> {
    const sessions = this.#waiting.get(accountId);
    if (!this.#flush || !sessions) return;
    this.#waiting.delete(accountId);
    const observations = [...sessions.values()].flat();
    this.#count -= observations.length;
    const noteAgain = (left: readonly Observation[]) => {
      for (const observation of left) this.note(accountId, observation);
    };
    const done = this.#flush(accountId, { observations, isLast }).then(noteAgain, (error) => {
      noteAgain(observations);
      this.#onError(error);
    });
    // Writes of an account are done in order, so the last one to end ends last.
    this.#running.set(accountId, done);
    await done;
    if (this.#running.get(accountId) === done) this.#running.delete(accountId);
  }

  async flushAll(isLast = false): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    await Promise.all([...this.#waiting.keys()].map((accountId) => this.flush(accountId, isLast)));
    await Promise.all(this.#running.values());
  }

  async close(): Promise<void> {
    await Promise.all(this.#running.values());
    await this.flushAll(true);
    clearTimeout(this.#timer);
    this.#flush = undefined;
  }
}

const nameOf = ({ agent_id, session }: { agent_id: string; session: string }) => `${agent_id}\n${session}`;
