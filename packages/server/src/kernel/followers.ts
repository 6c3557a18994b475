import { Fault } from '@mem-service/contract';
import type { Caller } from './caller.ts';
import type { Feed } from './feed.ts';
import { FollowedLog } from './followed-log.ts';
import { Follower, type FollowRequest, type Subscription } from './follower.ts';
import type { Services } from './module.ts';
import { tooManyOpen } from './plan-bounds.ts';
import { listEvents, readAccount } from './queries.ts';
import type { LogEvent } from './work.ts';

type Followed = { log: FollowedLog; followers: Set<Follower> };

export type FollowersOptions = Pick<Services, 'database' | 'keys' | 'boundsOf' | 'openStreams'> & {
  feed: Feed;
  onError: (error: unknown) => void;
};

/** All followers in this process, and the announcements of its commits to other processes. */
export class Followers {
  readonly #options: FollowersOptions;
  readonly #followed = new Map<string, Followed>();
  readonly #unsubscribe: () => void;
  #stopListening: (() => void) | undefined;
  #count = 0;
  #closed = false;

  constructor(options: FollowersOptions) {
    this.#options = options;
    this.#unsubscribe = options.feed.subscribeAll((events, accountId) => this.#committed(events, accountId));
  }

  get count(): number {
    return this.#count;
  }

  /** Ends when the key of the caller is no longer valid. */
  async follow(caller: Caller, view: FollowRequest): Promise<Subscription> {
    const { account_id: accountId } = caller;
    const { database, keys, onError } = this.#options;
    const { read, scan } = database.forAccount(accountId);
    const account = await readAccount(read, accountId);
    const head = account?.seq ?? 0;
    if (this.#closed) throw new Fault('unavailable', 'the service is stopping', { retry_after: 1 });
    if (view.after !== undefined && view.after > head) throw beyondLog(view.after, head);
    this.#requireRoom(accountId, account?.plan ?? null);
    const { log, followers } = this.#followed.get(accountId) ?? this.#open(accountId, head);
    const follower: Follower = new Follower({
      log,
      view,
      seq: view.after ?? head,
      read: (after, limit) => listEvents(scan, accountId, { after, limit }),
      holds: () => attendance?.isValid() ?? true,
      onError,
      onClose: (one) => {
        attendance?.leave();
        this.#left(accountId, one);
      },
    });
    const attendance = keys.watch(caller, () => follower.end());
    followers.add(follower);
    this.#count++;
    this.#options.openStreams.set(accountId, followers.size);
    return follower;
  }

  #requireRoom(accountId: string, plan: string | null): void {
    const { boundsOf, openStreams } = this.#options;
    const allowed = boundsOf?.(plan).open_streams ?? null;
    if (allowed !== null && (openStreams.get(accountId) ?? 0) >= allowed) throw tooManyOpen('open_streams', allowed);
  }

  /** Ends all subscriptions. */
  close(): void {
    this.#closed = true;
    this.#unsubscribe();
    for (const { followers } of this.#followed.values()) for (const follower of followers) follower.end();
  }

  #open(accountId: string, seq: number): Followed {
    const { database, onError } = this.#options;
    const own = database.forAccount(accountId);
    const read = (after: number, limit: number) => listEvents(own.read, accountId, { after, limit });
    const followed = { log: new FollowedLog({ seq, read, onError }), followers: new Set<Follower>() };
    this.#followed.set(accountId, followed);
    this.#stopListening ??= database.onAnnounce((topic, place) => this.#followed.get(topic)?.log.poll(place));
    return followed;
  }

  #left(accountId: string, follower: Follower): void {
    const followed = this.#followed.get(accountId);
    if (!followed?.followers.delete(follower)) return;
    this.#count--;
    this.#options.openStreams.set(accountId, followed.followers.size);
    if (followed.followers.size > 0) return;
    this.#options.openStreams.delete(accountId);
    followed.log.close();
    this.#followed.delete(accountId);
    if (this.#followed.size > 0) return;
    this.#stopListening?.();
    this.#stopListening = undefined;
  }

  #committed(events: readonly LogEvent[], accountId: string): void {
    const last = events.at(-1);
    if (!last) return;
    this.#options.database.announce(accountId, last.seq);
    this.#followed.get(accountId)?.log.committed(events);
  }
}

/** A reader would otherwise wait for numbers that it has seen, and miss the events that now get them. */
function beyondLog(after: number, last_seq: number): Fault {
  const message =
    `the log ends at ${last_seq}, before ${after}: the store was probably restored from a backup; ` +
    `read the memory again, then follow after ${last_seq}`;
  return new Fault('beyond_log', message, { last_seq });
}
