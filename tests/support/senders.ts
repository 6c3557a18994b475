import { createHmac } from 'node:crypto';

/** The senders that choose their secrets themselves. */
export type ChoosingSender = 'pagerduty' | 'slack';

type Body = string | Buffer;

export const hmac = (secret: string, ...parts: Body[]): string =>
  parts.reduce((made, part) => made.update(part), createHmac('sha256', secret)).digest('hex');

/** The headers that a sender signs a body with. */
export function signedHeaders(
  name: ChoosingSender,
  body: Body,
  { secret, now }: { secret: string; now: number },
): Record<string, string> {
  if (name === 'pagerduty') return { 'x-pagerduty-signature': `v1=${hmac(secret, body)}` };
  const time = String(Math.floor(now / 1000));
  return { 'x-slack-signature': `v0=${hmac(secret, `v0:${time}:`, body)}`, 'x-slack-request-timestamp': time };
}

export const bodies: Record<ChoosingSender, (id: string) => string> = {
  pagerduty: (id) =>
    JSON.stringify({
      event: {
        id,
        event_type: 'incident.triggered',
        resource_type: 'incident',
        occurred_at: '2026-01-31T12:00:00Z',
        data: {
          id: 'P1',
          type: 'incident',
          number: 2,
          status: 'triggered',
          title: 'Down',
          service: { summary: 'API' },
        },
      },
    }),
  slack: (id) =>
    JSON.stringify({
      ...{ type: 'event_callback', team_id: 'T1', event_id: id, event_time: 1531420618 },
      event: { type: 'message', channel: 'C1', user: 'U1', text: 'hi', ts: '1531420618.000100' },
    }),
};
