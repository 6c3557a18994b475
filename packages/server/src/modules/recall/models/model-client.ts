import type { EmbeddingServer, RerankingServer, Services } from '../../../kernel/index.ts';
import { TaskThread } from '../task-thread.ts';
import type { EmbeddedText } from '../thread-tasks.ts';
import { FailureWarnings, type ModelCall } from './failure-warnings.ts';
import type { AskedOutcome, FailureReason, ModelFailure } from './model-error.ts';
import type { EmbeddedDocuments, ModelTasks } from './model-tasks.ts';
import { Rests, restMs } from './rules/rests.ts';
import { TokenBucket } from './rules/token-bucket.ts';

/** Questions that wait for a server at the same time; further ones do without. */
const MAX_WAITING = 32;
/** A server that was away for long is asked again within this time. */
const LONGEST_INDEX_REST_MS = 300_000;
/** About so many characters make a token. */
const CHARS_PER_TOKEN = 4;
/** Of a long document this much is embedded. */
const MAX_CHARS = 20_000;

const tokensIn = (text: string): number => Math.ceil(Math.min(text.length, MAX_CHARS) / CHARS_PER_TOKEN);

/** `isWhole`: the server has all the time that the operator allows, and the caller none of its own. */
type ShortCall = { call: ModelCall; isWhole: boolean };

/** Asks the models that the operator named. It never throws because of them: what they do wrong is an outcome. */
export class ModelClient {
  readonly #services: Services;
  readonly #thread: TaskThread<ModelTasks>;
  readonly #bucket: TokenBucket | undefined;
  readonly #rests = new Rests();
  readonly #warnings: FailureWarnings;
  #waiting = 0;
  /** The index is made without haste: after failures no account asks for it before a time. */
  #index = { failures: 0, until: 0, failure: undefined as ModelFailure | undefined };

  constructor(services: Services) {
    this.#services = services;
    this.#warnings = new FailureWarnings(services);
    this.#thread = new TaskThread(new URL('./model.thread.mjs', import.meta.url), 'thread of models');
    const perMinute = services.settings.embedding_server?.tokens_per_minute ?? null;
    if (perMinute !== null) this.#bucket = new TokenBucket(perMinute, services.clock.now());
  }

  /** The vectors of documents, for the index. */
  async embed(server: EmbeddingServer, texts: readonly EmbeddedText[]): Promise<AskedOutcome<EmbeddedDocuments>> {
    const estimated = texts.reduce((sum, { document }) => sum + tokensIn(document), 0);
    const over = this.#restOfIndex() ?? this.#overBudget();
    if (over) return { failure: over };
    this.#bucket?.take(estimated, this.#now);
    const outcome = this.#afterFailures(await this.#thread.run('embed', { server, texts }));
    if ('answer' in outcome && outcome.answer.tokens > estimated)
      this.#bucket?.take(outcome.answer.tokens - estimated, this.#now);
    this.#count('index', outcome);
    this.#warn('index', outcome);
    return outcome;
  }

  /** The vector of a question, within `timeout_ms` of the server, or less. */
  question(server: EmbeddingServer, text: string): Promise<AskedOutcome<Float32Array>> {
    const isWhole = server.timeout_ms >= (this.#services.settings.embedding_server?.timeout_ms ?? 0);
    return this.#askShortly({ call: 'question', isWhole }, `${server.url} ${server.model}`, async () => {
      const over = this.#overBudget();
      if (over) return { failure: over };
      this.#bucket?.take(tokensIn(text), this.#now);
      const outcome = await this.#thread.run('question', { server, text });
      return 'answer' in outcome ? { answer: outcome.answer.vector } : outcome;
    });
  }

  rerank(
    server: RerankingServer,
    query: string,
    texts: readonly string[],
  ): Promise<AskedOutcome<(number | undefined)[]>> {
    const key = `${server.url} ${server.model}`;
    const isWhole = server.timeout_ms >= (this.#services.settings.reranking_server?.timeout_ms ?? 0);
    return this.#askShortly({ call: 'rerank', isWhole }, key, () =>
      this.#thread.run('rerank', { server, query, texts }),
    );
  }

  close(): Promise<void> {
    return this.#thread.close();
  }

  /** A server that failed is left alone for a while, so that not each question waits for it. */
  async #askShortly<T>(
    { call, isWhole }: ShortCall,
    key: string,
    ask: () => Promise<AskedOutcome<T>>,
  ): Promise<AskedOutcome<T>> {
    const resting = this.#rests.reasonAt(key, this.#now);
    if (resting) return { failure: { reason: resting, detail: 'it failed a short while ago' } };
    if (this.#waiting >= MAX_WAITING)
      return { failure: { reason: 'limited', detail: 'too many questions wait for it already' } };
    this.#waiting++;
    try {
      const outcome = await ask();
      this.#count(call, outcome);
      if (isWhole) this.#warn(call, outcome);
      if ('answer' in outcome) this.#rests.end(key);
      else if (outcome.failure.reason !== 'budget') this.#rests.begin(key, outcome.failure, this.#now);
      return outcome;
    } finally {
      this.#waiting--;
    }
  }

  #restOfIndex(): ModelFailure | undefined {
    const { failure, until } = this.#index;
    return failure && until > this.#now ? { ...failure, retry_after_ms: until - this.#now } : undefined;
  }

  #afterFailures<T>(outcome: AskedOutcome<T>): AskedOutcome<T> {
    if ('answer' in outcome) {
      this.#index = { failures: 0, until: 0, failure: undefined };
      return outcome;
    }
    const failures = this.#index.failures + 1;
    const waitMs = restMs(failures, outcome.failure.retry_after_ms, LONGEST_INDEX_REST_MS);
    const failure = { ...outcome.failure, retry_after_ms: waitMs };
    this.#index = { failures, until: this.#now + waitMs, failure };
    return { failure };
  }

  #overBudget(): ModelFailure | undefined {
    const waitMs = this.#bucket?.waitMs(this.#now) ?? 0;
    return waitMs > 0
      ? { reason: 'budget', detail: 'the tokens of this minute are used up', retry_after_ms: waitMs }
      : undefined;
  }

  #warn(call: ModelCall, outcome: AskedOutcome<unknown>): void {
    this.#warnings.note(call, 'failure' in outcome ? outcome.failure : undefined);
  }

  #count(what: ModelCall, outcome: AskedOutcome<unknown>): void {
    const { modelCalls } = this.#services;
    const result: 'ok' | FailureReason = 'answer' in outcome ? 'ok' : outcome.failure.reason;
    const key = `${what} ${result}`;
    modelCalls.set(key, (modelCalls.get(key) ?? 0) + 1);
  }

  get #now(): number {
    return this.#services.clock.now();
  }
}

/** One per service. */
const clients = new WeakMap<Services, ModelClient>();

export function modelClientOf(services: Services): ModelClient {
  const known = clients.get(services) ?? new ModelClient(services);
  clients.set(services, known);
  return known;
}

export async function closeModelClient(services: Services): Promise<void> {
  await clients.get(services)?.close();
}
