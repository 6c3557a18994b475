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
  duration_ms: number;
};

/** A refusal that a session met. */
export type MetError = {
  kind: 'error';
  operation: string;
  entity_path: string | null;
  error_type: string;
  message: string;
};

export type Sighting = SeenEntry | AskedQuery | MetError;
export type Observation = Sighting & { agent_id: string; session: string; at: number };

/** What the module that keeps sessions does with them; one promise for all of an account. */
export type Flush = (accountId: string, observations: Observation[]) => Promise<unknown>;

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
  #running = new Set<Promise<void>>();

  /** Nothing is noted before somebody takes it. */
  start(flush: Flush, onError: (error: unknown) => void): void {
    this.#flush = flush;
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

  has(accountId: string, session: { agent_id: string; session: string }): boolean {
    return this.#waiting.get(accountId)?.has(nameOf(session)) ?? false;
  }

  /** Hands over everything of an account. What could not be written waits for the next time. */
  async flush(accountId: string): Promise<void> {
    const sessions = this.#waiting.get(accountId);
    if (!sessions || !this.#flush) return;
    this.#waiting.delete(accountId);
    const observations = [...sessions.values()].flat();
    this.#count -= observations.length;
    const done = this.#flush(accountId, observations).then(
      () => {},
      (error) => {
        for (const observation of observations) this.note(accountId, observation);
        this.#onError(error);
      },
    );
    this.#running.add(done);
    await done;
    this.#running.delete(done);
  }

  async flushAll(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    await Promise.all([...this.#waiting.keys()].map((accountId) => this.flush(accountId)));
  }

  async close(): Promise<void> {
    await this.flushAll();
    await Promise.all(this.#running);
    clearTimeout(this.#timer);
    this.#flush = undefined;
  }
}

const nameOf = ({ agent_id, session }: { agent_id: string; session: string }) => `${agent_id}\n${session}`;
