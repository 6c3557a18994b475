import { actorOf, type FeedEvent, SERVICE_AGENT } from '../data/events.ts';
import { hrefOf } from '../router/address.ts';
import { eventTexts as texts } from '../texts/events.ts';

/** Who did it, with a link to the agent. The service is none. */
export function EventActor({ event }: { event: FeedEvent }) {
  const actor = actorOf(event);
  return actor === SERVICE_AGENT ? (
    <span className="third">{texts.service}</span>
  ) : (
    <a href={hrefOf('agents', actor)}>{actor}</a>
  );
}
