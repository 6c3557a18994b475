/** Looks on at one call: what came back, one piece of a stream after the other, and how it ended. */
export type CallObserver = {
  /** A whole answer. */
  answer(data: unknown): void;
  /** A piece of a stream. True where the caller has not asked for it and must not see it. */
  piece(data: unknown): boolean;
  /** The stream is at its end, or was left before. */
  end(how: 'complete' | 'left' | 'aborted'): void;
  failed(error: unknown): void;
  /** The caller took the response itself; what is in it is not known. */
  raw(response: unknown): void;
};
