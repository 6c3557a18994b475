/** Observes one call: its answer, or the pieces of its stream, and how it ended. */
export type CallObserver = {
  /** A whole answer. */
  answer(data: unknown): void;
  /** A piece of a stream. Returns true if the caller did not ask for it and must not see it. */
  piece(data: unknown): boolean;
  /** The stream ended, or the caller stopped reading it. */
  end(how: 'complete' | 'left' | 'aborted'): void;
  failed(error: unknown): void;
  /** The caller took the raw response; its content is not observed. */
  raw(response: unknown): void;
};
