import { objectOf, textOf } from '../members.ts';
import { rawResult } from '../raw-result.ts';
import { cutText } from '../text.ts';
import type { Connector, ConnectorResult, DeliveryName, InboundEvent, RawDelivery } from '../types.ts';
import { channelResults } from './channels.ts';
import { contextOf, requestContext } from './contexts.ts';
import { happeningOf, messageResults } from './messages.ts';
import { channelOf, channelPath } from './places.ts';
import { slackSignatureProblem } from './signature.ts';

const TYPE_CHARACTERS = 128;

/** The Events API of Slack. A thread is one entry, with its messages as a list. */
export class SlackConnector implements Connector {
  validate_signature(delivery: RawDelivery, secret: string, now: number): boolean | string {
    return slackSignatureProblem(delivery, secret, now) ?? true;
  }

  /** A delivery that Slack sends again has the same `event_id`. */
  identify(payload: unknown): Partial<DeliveryName> {
    const sent = objectOf(payload);
    const event = objectOf(sent.event);
    const type = textOf(event.type) ?? textOf(sent.type) ?? (textOf(sent.command) && 'command');
    const subtype = event.type === 'message' ? textOf(event.subtype) : undefined;
    const id = textOf(sent.event_id) ?? textOf(sent.trigger_id);
    return {
      ...(type !== undefined && {
        event_type: cutText(subtype === undefined ? type : `${type}.${subtype}`, TYPE_CHARACTERS),
      }),
      ...(id !== undefined && { id }),
    };
  }

  /** Slack asks once whether this address is ours. */
  reply(payload: unknown): { challenge: string } | undefined {
    const { type, challenge } = objectOf(payload);
    return type === 'url_verification' && typeof challenge === 'string' ? { challenge } : undefined;
  }

  transform(delivered: InboundEvent): ConnectorResult[] {
    const sent = objectOf(delivered.payload);
    const happening = happeningOf(sent);
    const messages = messageResults(happening);
    if (messages.length > 0) return messages;
    const channels = channelResults(happening);
    if (channels.length > 0) return channels;
    const context = contextOf(happening) ?? requestContext(sent);
    return [context ?? rawResult(withoutToken(delivered), channelPath(happening.channel ?? channelOf(sent)))];
  }
}

/** Slack repeats in the body what its older signature was. */
function withoutToken(event: InboundEvent): InboundEvent {
  const { payload } = event;
  if (typeof payload !== 'object' || payload === null || !Object.hasOwn(payload, 'token')) return event;
  const { token, ...rest } = objectOf(payload);
  return { ...event, payload: rest };
}
