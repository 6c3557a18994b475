import { objectOf, textOf } from '../members.ts';
import { cutText } from '../text.ts';
import type { Connector, ConnectorResult, DeliveryName, InboundEvent, RawDelivery } from '../types.ts';
import { channelResults } from './channels.ts';
import { contextOf, requestContext } from './contexts.ts';
import { happeningOf, messageResults } from './messages.ts';
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

  transform({ payload }: InboundEvent): ConnectorResult[] {
    const sent = objectOf(payload);
    const happening = happeningOf(sent);
    const messages = messageResults(happening);
    if (messages.length > 0) return messages;
    const channels = channelResults(happening);
    if (channels.length > 0) return channels;
    const context = contextOf(happening) ?? requestContext(sent);
    return context ? [context] : [];
  }
}
