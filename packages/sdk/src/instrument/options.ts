import type { Session } from '../session.ts';
import type { Span } from '../span-types.ts';

/** The session that calls belong to, or a function that finds it for each call (such as `activeSession`). */
export type SessionSource = Session | (() => Session | undefined);

export type InstrumentOptions = {
  /** Also record requests and answers. The service redacts secrets, but cannot recognise personal data. */
  captureContent?: boolean | undefined;
  /** The provider, if it is not the one that the client is named after. */
  provider?: string | undefined;
  /** The parent span of all calls. Default: the active span, where the runtime supports it. */
  parent?: Span | undefined;
};
