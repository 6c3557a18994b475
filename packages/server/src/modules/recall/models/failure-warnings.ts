import type { Services } from '../../../kernel/index.ts';
import { failureText, type ModelFailure } from './model-error.ts';

export type ModelCall = 'index' | 'question' | 'rerank' | 'judge';

/** Failures that come and go are reported no more often than this. */
const QUIET_MS = 600_000;

const EMBEDDER = 'see MEM_EMBEDDER_URL, MEM_EMBEDDER_MODEL and MEM_EMBEDDER_KEY, or run mem doctor where they are set';
const TEXTS: Record<ModelCall, [what: string, then: string]> = {
  index: ['the embedder makes no vectors', `the built-in one serves until it does; ${EMBEDDER}`],
  question: ['the embedder did not answer a question', `the built-in one answers meanwhile; ${EMBEDDER}`],
  rerank: [
    'the reranker did not answer',
    'answers keep the order without it; see MEM_RERANKER_URL and MEM_RERANKER_KEY',
  ],
  judge: [
    'the language model of judges did not answer',
    'it is asked again for a while; see MEM_JUDGE_URL, MEM_JUDGE_MODEL and MEM_JUDGE_KEY',
  ],
};

/** Warns the operator when a server begins to fail. */
export class FailureWarnings {
  readonly #services: Services;
  readonly #failing = new Set<ModelCall>();
  readonly #quietUntil = new Map<ModelCall, number>();

  constructor(services: Services) {
    this.#services = services;
  }

  note(call: ModelCall, failure: ModelFailure | undefined): void {
    if (!failure) this.#failing.delete(call);
    // A budget is the operator's own.
    if (!failure || failure.reason === 'budget' || this.#failing.has(call)) return;
    const now = this.#services.clock.now();
    if ((this.#quietUntil.get(call) ?? 0) > now) return;
    this.#failing.add(call);
    this.#quietUntil.set(call, now + QUIET_MS);
    const [what, then] = TEXTS[call];
    this.#services.onWarning(`${what} (${failureText(failure)}): ${then}`);
  }
}
