import { ResourceNotFoundError } from '@modelcontextprotocol/server';
import { resourceAt } from './resources.ts';
import { mayHaveChanged, type ResourceAddress } from './rules/resource-changes.ts';
import { callServiceUntraced, type JsonObject, type LogReader, type McpSession } from './session.ts';

/** The resources that a client has subscribed to. */
export type ResourceWatch = {
  /** Resolves once no later change can be missed. Throws if the URI is not a resource. */
  add(uri: string): Promise<void>;
  remove(uri: string): void;
  close(): void;
};

export type WatchOptions = {
  onChange(uri: string): void;
  /** No more changes will be reported. `error` is undefined if the watch was closed normally. */
  end(error?: unknown): void;
};

/** Several changes within this time are reported once. */
const GATHER_MS = 50;

/** Follows the log while a resource is watched, and reports the resources that changed. */
export function createWatch(session: McpSession, { onChange, end }: WatchOptions): ResourceWatch {
  const watched = new Map<string, ResourceAddress>();
  const touched = new Set<string>();
  let following: Promise<() => void> | undefined;
  let timer: NodeJS.Timeout | undefined;

  const reportChanges = () => {
    timer = undefined;
    for (const uri of touched) if (watched.has(uri)) onChange(uri);
    touched.clear();
  };
  const take = (event: JsonObject) => {
    const { agent_id } = session.identity.caller();
    for (const [uri, place] of watched) if (mayHaveChanged(place, event, agent_id)) touched.add(uri);
    if (touched.size > 0) timer ??= setTimeout(reportChanges, GATHER_MS);
  };
  /** What was read before may be gone: every watched resource is reported, and the log followed from where it is. */
  const ended = (error?: unknown) => {
    if ((error as { code?: string } | undefined)?.code !== 'log_rewound' || watched.size === 0) return end(error);
    for (const uri of watched.keys()) touched.add(uri);
    timer ??= setTimeout(reportChanges, GATHER_MS);
    following = follow(session, { take, end: ended });
    following.catch(end);
  };
  const stop = () => {
    clearTimeout(timer);
    timer = undefined;
    void following?.then(
      (leave) => leave(),
      () => {},
    );
    following = undefined;
  };
  return {
    async add(uri) {
      const place = resourceAt(uri);
      if (!place) throw new ResourceNotFoundError(uri);
      watched.set(uri, place);
      following ??= follow(session, { take, end: ended });
      try {
        await following;
      } catch (error) {
        watched.delete(uri);
        following = undefined;
        throw error;
      }
    },
    remove(uri) {
      watched.delete(uri);
      if (watched.size === 0) stop();
    },
    close() {
      watched.clear();
      stop();
    },
  };
}

/** Starts at the current `seq`, so that no event is missed before the subscription begins. */
async function follow(session: McpSession, reader: LogReader): Promise<() => void> {
  const { branch, service, identity } = session;
  const { last_seq } = await callServiceUntraced(session, 'stats.read', { branch });
  return service.follow({ branch, after: last_seq }, identity.caller(), reader);
}

/** The resources in a subscription request of the protocol without a handshake. Unknown ones are left out. */
export function watchedResources(message: unknown): readonly string[] {
  const { method, params } = (message ?? {}) as { method?: unknown; params?: { notifications?: unknown } };
  if (method !== 'subscriptions/listen') return [];
  const { resourceSubscriptions = [] } = (params?.notifications ?? {}) as { resourceSubscriptions?: unknown };
  if (!Array.isArray(resourceSubscriptions)) return [];
  return resourceSubscriptions.filter((uri) => typeof uri === 'string' && resourceAt(uri));
}
