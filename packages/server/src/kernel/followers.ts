import { Fault } from '@mem-service/contract';
import type { AccessWatch } from './branch-access.ts';
import type { Caller } from './caller.ts';
import { readHead } from './event-queries.ts';
import type { Feed } from './feed.ts';
import { FollowedLog, type ReadEvents } from './followed-log.ts';
import { Follower, type FollowRequest, type Subscription } from './follower.ts';
import { isLogRewound, listEvents, requirePosition } from './log-pages.ts';
import { LOG_BEGIN, type LogPosition } from './log-position.ts';
import type { Services } from './module.ts';
import { tooManyOpen } from './plan-bounds.ts';
import { readAccount } from './queries.ts';
import { isRoomAccount } from './rooms.ts';
import type { LogEvent } from './work.ts';

type Followed = { log: FollowedLog; followers: Set<Follower> };

export type FollowersOptions = Pick<Services, 'database' | 'keys' | 'boundsOf' | 'roomOwners' | 'openStreams'> & {
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
    this.#unsubscribe = options.feed.subscribeAll((events, accountId, after) =>
      this.#committed(events, accountId, after),
    );
  }

  get count(): number {
    return this.#count;
  }

  /** Ends when the key of the caller is no longer valid, or no longer has access to the branch. */
  async follow(caller: Caller, view: FollowRequest, access?: AccessWatch): Promise<Subscription> {
    const { account_id: accountId } = caller;
    const { database, keys, onError } = this.#options;
    const { read, scan } = database.forAccount(accountId);
    const [account, head = LOG_BEGIN] = await Promise.all([readAccount(read, accountId), readHead(read, accountId)]);
    const position = view.after === undefined ? head : await requirePosition(read, accountId, view.after);
    // Who left before the place where the stream begins is not ended by an event after it.
    if (caller.room) await access?.check();
    await this.#checkFollowed(accountId, head);
    const plan = isRoomAccount(accountId) ? await this.#options.roomOwners?.planOf(accountId) : account?.plan;
    if (this.#closed) throw new Fault('unavailable', 'the service is stopping', { retry_after: 1 });
    this.#requireRoom(accountId, plan);
    const { log, followers } = this.#followed.get(accountId) ?? this.#open(accountId, head);
    const follower: Follower = new Follower({
      log,
      view,
      position,
      read: (after, limit) => listEvents(scan, accountId, { after, limit }),
      access,
      holds: () => attendance?.isValid() ?? true,
      onError,
      onClose: (one) => {
        attendance?.leave();
        this.#left(accountId, one);
      },
    });
    const holder = { ...caller, account_id: caller.room?.home_account_id ?? accountId };
    const attendance = keys.watch(holder, () => follower.end());
    followers.add(follower);
    this.#count++;
    this.#options.openStreams.set(accountId, followers.size);
    return follower;
  }

  /** A new reader does not join a log that was set back: its streams are ended first. */
  async #checkFollowed(accountId: string, head: LogPosition): Promise<void> {
    const followed = this.#followed.get(accountId);
    if (!followed || head.seq >= followed.log.position.seq) return;
    const { read } = this.#options.database.forAccount(accountId);
    await requirePosition(read, accountId, followed.log.position).catch((error) => {
      if (!isLogRewound(error)) throw error;
      this.#rewound(followed, error);
    });
  }

  #rewound({ followers }: Followed, fault: Fault): void {
    for (const follower of [...followers]) follower.end(fault);
  }

  #requireRoom(accountId: string, plan: string | null = null): void {
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

  #open(accountId: string, position: LogPosition): Followed {
    const { database, onError } = this.#options;
    const own = database.forAccount(accountId);
    const read: ReadEvents = (after, limit) => listEvents(own.read, accountId, { after, limit });
    const onRewound = (fault: Fault) => this.#rewound(followed, fault);
    const followed: Followed = {
      log: new FollowedLog({ position, read, onRewound, onError }),
      followers: new Set<Follower>(),
    };
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

  #committed(events: readonly LogEvent[], accountId: string, after: LogPosition): void {
    const last = events.at(-1);
    if (!last) return;
    this.#options.database.announce(accountId, last.seq);
    this.#followed.get(accountId)?.log.committed(events, after);
  }
}
