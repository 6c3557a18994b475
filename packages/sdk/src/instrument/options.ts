import type { Session } from '../session.ts';
import type { Span } from '../span-types.ts';

/** The session that calls belong to, or what finds it for each call (`activeSession`). */
export type SessionSource = Session | (() => Session | undefined);

export type InstrumentOptions = {
  /** Also record what is asked and answered. The service redacts secrets; personal data it does not know. */
  captureContent?: boolean | undefined;
  /** Who answers, where that is another than the client is named after. */
  provider?: string | undefined;
  /** The span that calls are below. By default the one that is running, where the runtime can tell. */
  parent?: Span | undefined;
};
