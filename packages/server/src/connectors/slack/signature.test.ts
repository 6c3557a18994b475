import { createHmac } from 'node:crypto';
import { verifySlackRequest } from '@slack/bolt';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SlackConnector } from './index.ts';

const SECRET = '8f742231b10e8888abcd99yyyzzz85a5';
const TIME = 1531420618;
/** The example in Slack's documentation. */
const BODY =
  'token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow&channel_id=G8PSS9T3V&channel_name=foobar' +
  '&user_id=U2CERLKJA&user_name=roadrunner&command=%2Fwebhook-collect&text=&response_url=https%3A%2F%2Fhooks.slack.com' +
  '%2Fcommands%2FT1DC2JH3J%2F397700885554%2F96rGlfmibIGlgcZRskXaIFfN&trigger_id=398738663015.47445629121.803a0bc887a14d10' +
  'd2c447fce8b6703c';
const SIGNATURE = 'v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503';

type SignedBody = { body?: string | Buffer; time?: string; signature?: string; now?: number; secret?: string };

function check(sent: SignedBody): boolean | string {
  const { body = BODY, time = String(TIME), signature = SIGNATURE, now = TIME * 1000, secret = SECRET } = sent;
  const headers = { 'x-slack-request-timestamp': time, 'x-slack-signature': signature };
  return new SlackConnector().validate_signature({ body: Buffer.from(body), headers }, secret, now);
}

function boltAccepts(body: string, time: number, { now, secret }: { now: number; secret: string }): boolean {
  const signature = `v0=${createHmac('sha256', SECRET).update(`v0:${time}:${body}`).digest('hex')}`;
  const headers = { 'x-slack-signature': signature, 'x-slack-request-timestamp': time };
  try {
    verifySlackRequest({ signingSecret: secret, headers, body, nowMilliseconds: now });
    return true;
  } catch {
    return false;
  }
}

describe('the signature of a delivery by Slack', () => {
  it('is right as Slack documents it, up to five minutes', () => {
    expect(check({})).toBe(true);
    expect(check({ now: (TIME + 300) * 1000 })).toBe(true);
    expect(check({ now: (TIME - 300) * 1000 })).toBe(true);
  });

  it('is refused when it is older or comes from the future, with the reason', () => {
    expect(check({ now: (TIME + 300) * 1000 + 1 })).toMatch(/5 minutes/);
    expect(check({ now: (TIME - 300) * 1000 - 1 })).toMatch(/5 minutes/);
  });

  it.each([
    ['another body', { body: `${BODY}&` }, /Signature does not fit/],
    ['another time', { time: String(TIME + 1) }, /Signature does not fit/],
    ['another secret', { secret: `${SECRET}0` }, /Signature does not fit/],
    ['an empty secret', { secret: '' }, /Signature does not fit/],
    ['another version', { signature: SIGNATURE.replace('v0', 'v1') }, /Signature does not fit/],
    ['no prefix', { signature: SIGNATURE.slice(3) }, /Signature does not fit/],
    ['no signature', { signature: '' }, /Signature does not fit/],
    ['no time', { time: '' }, /Timestamp is missing/],
    ['a time that is no number', { time: '1531420618.0' }, /Timestamp is missing/],
    ['a negative time', { time: '-1' }, /Timestamp is missing/],
    ['NaN', { time: 'NaN' }, /Timestamp is missing/],
  ])('is refused with %s', (_, sent, reason) => {
    expect(check(sent)).toMatch(reason);
  });

  it('is of the bytes as they were sent, not of a text', () => {
    const body = Buffer.from([0x7b, 0xff, 0xfe, 0x7d]);
    const signature = `v0=${createHmac('sha256', SECRET).update(`v0:${TIME}:`).update(body).digest('hex')}`;
    expect(check({ body, signature })).toBe(true);
    expect(check({ body: Buffer.from(body.toString()), signature })).not.toBe(true);
  });

  it('is refused where no header was sent', () => {
    expect(new SlackConnector().validate_signature({ body: Buffer.from(BODY), headers: {} }, SECRET, 0)).toMatch(
      /missing/,
    );
  });

  it('is accepted and refused as by Bolt', () => {
    const bodies = fc.string({ unit: 'binary', minLength: 1 }).filter((text) => text.isWellFormed());
    const ages = fc.oneof(fc.integer({ min: -290, max: 290 }), fc.integer({ min: 310, max: 1000 }));
    fc.assert(
      fc.property(bodies, ages, fc.boolean(), (body, age, isOther) => {
        const secret = isOther ? 'another' : SECRET;
        const now = (TIME + age) * 1000;
        const signature = `v0=${createHmac('sha256', SECRET).update(`v0:${TIME}:${body}`).digest('hex')}`;
        expect(check({ body, signature, now, secret }) === true).toBe(boltAccepts(body, TIME, { now, secret }));
      }),
    );
  });
});
