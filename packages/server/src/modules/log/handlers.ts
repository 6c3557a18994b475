import { type Input, invalidInput, type Output } from '@mem-service/contract';
import {
  EVERYONE,
  type FollowRequest,
  follows,
  fromIso,
  type GivenPosition,
  type Handlers,
  isLoggedIn,
  isOfOtherHolder,
  isReportedOn,
  type LogEvent,
  listFirstEvents,
  MAIN_BRANCH,
  pageBytes,
  parsePosition,
  positionText,
  type ReadContext,
  readableRows,
  readScope,
  reads,
  seesEvent,
  seqAt,
} from '../../kernel/index.ts';
import { toEvent, toText } from './events.ts';
import { acceptorOf, wantedTypesOf } from './rules.ts';

type Events = readonly LogEvent[];
type ShownPage = { after: GivenPosition; limit: number; shownOf: (events: Events) => Events | Promise<Events> };

const positionOf = (given: string | number): GivenPosition => parsePosition(String(given)) as GivenPosition;

/** A page of the log of the account that the context is in. */
export async function listLog(context: ReadContext, asked: Input<'log.list'>): Promise<Output<'log.list'>> {
  const { after: given, since, limit, branch, types, exclude_types } = asked;
  const after = await startOf(context, positionOf(given), since);
  const isWanted = wantedTypesOf(types, exclude_types);
  const shownOf = (events: Events) => {
    const wanted = isWanted ? events.filter(isWanted) : events;
    return branch === undefined
      ? readableRows(context, wanted)
      : wanted.filter((event) => isLoggedIn(context.view, event));
  };
  if (branch !== undefined || isWanted || readScope(context.caller))
    return listShown(context, { after, limit, shownOf });
  const { read, caller, services } = context;
  const bytes = pageBytes(services);
  const { rows, more } = await listFirstEvents(read, caller.account_id, { after, limit: limit + 1, bytes });
  const page = rows.slice(0, limit);
  const seen = (await shownOf(page)).filter((row) => maySee(context, row));
  return { events: seen.map(toEvent), ...reached(page.at(-1) ?? after), has_more: more || rows.length > limit };
}

/** The place before the first event that is wanted: after a position, and not before a time. */
async function startOf({ read, caller }: ReadContext, after: GivenPosition, since: string | undefined) {
  if (since === undefined) return after;
  const seq = (await seqAt(read, caller.account_id, fromIso(since))) - 1;
  return seq > after.seq ? { seq, stamp: undefined } : after;
}

/** A number that was given without its stamp stays one. */
const reached = ({ seq, stamp }: GivenPosition) => ({
  last_seq: seq,
  last_position: stamp === undefined ? String(seq) : positionText({ seq, stamp }),
});

const CHUNK = 1000;

/** For those who see little of the log: scans until the page is full, or up to the limit of every list. */
async function listShown(context: ReadContext, { after, limit, shownOf }: ShownPage) {
  const { scan, caller, services } = context;
  const seen: LogEvent[] = [];
  let last = after;
  let bytes = pageBytes(services);
  for (let left = services.limits.max_scanned_entries; left > 0; left -= CHUNK) {
    const page = { after: last, limit: CHUNK, bytes: pageBytes(services) };
    const { rows, more } = await listFirstEvents(scan, caller.account_id, page);
    const shown = new Set(await shownOf(rows));
    for (const row of rows) {
      if (shown.has(row) && maySee(context, row)) {
        bytes -= Buffer.byteLength(row.details);
        if (seen.length === limit || (bytes < 0 && seen.length > 0))
          return { events: seen.map(toEvent), ...reached(last), has_more: true };
        seen.push(row);
      }
      last = row;
    }
    if (!more && rows.length < CHUNK) return { events: seen.map(toEvent), ...reached(last), has_more: false };
  }
  return { events: seen.map(toEvent), ...reached(last), has_more: true };
}

const maySee = ({ caller }: Pick<ReadContext, 'caller'>, event: LogEvent): boolean =>
  (event.visible_to === EVERYONE || event.visible_to === caller.agent_id) &&
  seesEvent(readScope(caller), event) &&
  !isOfOtherHolder(caller, event);

/** What comes on the log of the account that the context is in. */
export function streamLog({ caller, view, services }: ReadContext, asked: Input<'log.stream'>): FollowRequest {
  const { after, branch: _, all_branches, ...wanted } = asked;
  if (view.lineage[0]?.up_to_seq !== null)
    throw invalidInput([{ path: 'branch', message: 'shows a past state, which has no new events to stream' }]);
  let readable: ReadonlySet<string> | undefined;
  const isOfOther = ({ branch }: LogEvent) => branch !== MAIN_BRANCH;
  const isReportedHere = (event: LogEvent) => !isLoggedIn(view, event) && isReportedOn(view, event);
  const needsLookUp = all_branches ? isOfOther : isReportedHere;
  const mayRead = ({ branch }: LogEvent) => readable === undefined || readable.has(branch);
  const isShown = all_branches
    ? (event: LogEvent) => !isOfOther(event) || mayRead(event)
    : (event: LogEvent) => isLoggedIn(view, event) || (isReportedOn(view, event) && mayRead(event));
  const accepts = acceptorOf<LogEvent>({ ...wanted, isShown });
  return {
    lookUp(events) {
      // For every list of events, as grants come and go.
      if (!events.some(needsLookUp)) return undefined;
      return services.branchAccess.readable(caller)?.then((branches) => {
        readable = branches;
      });
    },
    after: after === undefined ? undefined : positionOf(after),
    toText,
    accepts: (event) => maySee({ caller }, event) && accepts(event),
  };
}

export const handlers: Handlers = { 'log.list': reads(listLog), 'log.stream': follows(streamLog) };
