import { isSignatureOf } from '../signature.ts';
import type { RawDelivery } from '../types.ts';

const MAX_AGE_MS = 5 * 60_000;

/** Slack signs the time of the request together with the body, so that a recorded request cannot be sent again later. */
export function slackSignatureProblem({ body, headers }: RawDelivery, secret: string, now: number): string | undefined {
  const time = headers['x-slack-request-timestamp'] ?? '';
  if (!/^\d{1,12}$/.test(time)) return 'The header X-Slack-Request-Timestamp is missing or is no time in seconds.';
  const signed = Buffer.concat([Buffer.from(`v0:${time}:`), body]);
  const sent = headers['x-slack-signature'];
  if (!isSignatureOf(signed, { secret, algorithm: 'hmac-sha256', prefix: 'v0=', sent }))
    return 'The header X-Slack-Signature does not fit the body, the time and the signing secret.';
  if (Math.abs(now - Number(time) * 1000) > MAX_AGE_MS)
    return 'The request was signed more than 5 minutes ago, or the clock of this machine is wrong.';
  return undefined;
}
