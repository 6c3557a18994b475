import { createHmac } from 'node:crypto';
import { sign, verify } from '@octokit/webhooks-methods';
import { verifySlackRequest } from '@slack/bolt';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hasSignature, hasSignatureByAny, isSignatureOf, type SignatureForm } from './signature.ts';

const GITHUB: SignatureForm = {
  signature_header: 'X-Hub-Signature-256',
  signature_algorithm: 'hmac-sha256',
  signature_prefix: 'sha256=',
};
const SECRET = "It's a Secret to Everybody";
const BODY = Buffer.from('Hello, World!');
const DIGITS = '757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17';

const delivery = (signature: string, body = BODY) => ({ body, headers: { 'x-hub-signature-256': signature } });
const isRight = (signature: string) => hasSignature(delivery(signature), SECRET, GITHUB);

describe('a signature by the manifest', () => {
  it('is right as GitHub and Jira document it', () => {
    expect(isRight(`sha256=${DIGITS}`)).toBe(true);
    const jira = { ...GITHUB, signature_header: 'x-hub-signature' };
    const sent = { 'x-hub-signature': 'sha256=a4771c39fbe90f317c7824e83ddef3caae9cb3d976c214ace1f2937e133263c9' };
    expect(hasSignature({ body: Buffer.from('Hello World!'), headers: sent }, SECRET, jira)).toBe(true);
  });

  it('may have digits in any case, and others beside it', () => {
    expect(isRight(`sha256=${DIGITS.toUpperCase()}`)).toBe(true);
    expect(isRight(`sha256=${'0'.repeat(64)}, sha256=${DIGITS}`)).toBe(true);
    expect(isRight(`sha256=${DIGITS},sha256=${'0'.repeat(64)}`)).toBe(true);
    expect(isRight(`v2=something,sha256=${DIGITS}`)).toBe(true);
  });

  it.each([
    ['nothing', ''],
    ['the prefix alone', 'sha256='],
    ['no prefix', DIGITS],
    ['another prefix', `sha1=${DIGITS}`],
    ['the prefix twice', `sha256=sha256=${DIGITS}`],
    ['a digit less', `sha256=${DIGITS.slice(1)}`],
    ['a digit more', `sha256=${DIGITS}0`],
    ['a space within', `sha256=${DIGITS.slice(0, 32)} ${DIGITS.slice(32)}`],
    ['another digit', `sha256=${DIGITS.slice(0, -1)}6`],
    ['no digits', `sha256=${'x'.repeat(64)}`],
    ['digits of another script', `sha256=${'٧'.repeat(64)}`],
    ['commas alone', ',,,'],
    ['base64', `sha256=${Buffer.from(DIGITS, 'hex').toString('base64')}`],
  ])('is wrong with %s', (_, signature) => {
    expect(isRight(signature)).toBe(false);
  });

  it('is wrong without its header, with an empty secret, and for another body', () => {
    expect(hasSignature({ body: BODY, headers: {} }, SECRET, GITHUB)).toBe(false);
    const byNoSecret = createHmac('sha256', '').update(BODY).digest('hex');
    expect(hasSignature(delivery(`sha256=${byNoSecret}`), '', GITHUB)).toBe(false);
    expect(hasSignature(delivery(`sha256=${DIGITS}`, Buffer.from('Hello, World?')), SECRET, GITHUB)).toBe(false);
  });

  it('may be by either of two secrets, and by no other', () => {
    const sent = delivery(`sha256=${DIGITS}`);
    expect(hasSignatureByAny(sent, ['another one', SECRET], GITHUB)).toBe(true);
    expect(hasSignatureByAny(sent, [SECRET, 'another one'], GITHUB)).toBe(true);
    expect(hasSignatureByAny(sent, ['another one'], GITHUB)).toBe(false);
    expect(hasSignatureByAny(sent, [], GITHUB)).toBe(false);
  });

  it.each(['sha1', 'sha256', 'sha512'] as const)('may be made with %s, without a prefix', (hash) => {
    const form = { signature_header: 'X-Sign', signature_algorithm: `hmac-${hash}`, signature_prefix: '' } as const;
    const body = Buffer.from([0, 255, 128, 10]);
    const digits = createHmac(hash, SECRET).update(body).digest('hex');
    expect(hasSignature({ body, headers: { 'x-sign': digits } }, SECRET, form)).toBe(true);
    expect(hasSignature({ body, headers: { 'x-sign': digits } }, `${SECRET}!`, form)).toBe(false);
  });
});

describe('signers and verifiers of others agree', () => {
  const secrets = fc.string({ unit: 'binary', minLength: 1 }).filter((text) => text.isWellFormed());
  const texts = fc.string({ unit: 'binary', minLength: 1 }).filter((text) => text.isWellFormed());

  it('with what Octokit signs', async () => {
    await fc.assert(
      fc.asyncProperty(secrets, texts, async (secret, text) => {
        const sent = { body: Buffer.from(text), headers: { 'x-hub-signature-256': await sign(secret, text) } };
        expect(hasSignature(sent, secret, GITHUB)).toBe(true);
        expect(hasSignature(sent, `${secret}x`, GITHUB)).toBe(
          await verify(`${secret}x`, text, await sign(secret, text)),
        );
      }),
      { numRuns: 50 },
    );
  });

  it('with what Slack documents, and what Bolt verifies', () => {
    const secret = '8f742231b10e8888abcd99yyyzzz85a5';
    const body =
      'token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow&channel_id=G8PSS9T3V&channel_name=foobar' +
      '&user_id=U2CERLKJA&user_name=roadrunner&command=%2Fwebhook-collect&text=&response_url=https%3A%2F%2Fhooks.slack.com' +
      '%2Fcommands%2FT1DC2JH3J%2F397700885554%2F96rGlfmibIGlgcZRskXaIFfN&trigger_id=398738663015.47445629121.803a0bc887a14d10' +
      'd2c447fce8b6703c';
    const time = 1531420618;
    const sent = 'v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503';
    const isOurs = (text: string) =>
      isSignatureOf(`v0:${time}:${text}`, { secret, algorithm: 'hmac-sha256', prefix: 'v0=', sent });
    const isTheirs = (text: string) => {
      const headers = { 'x-slack-signature': sent, 'x-slack-request-timestamp': time };
      try {
        verifySlackRequest({ signingSecret: secret, headers, body: text, nowMilliseconds: time * 1000 });
        return true;
      } catch {
        return false;
      }
    };
    for (const text of [body, `${body}&`, '']) expect(isOurs(text)).toBe(isTheirs(text));
    expect(isOurs(body)).toBe(true);
  });
});
