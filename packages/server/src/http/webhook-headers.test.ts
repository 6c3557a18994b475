import { describe, expect, it } from 'vitest';
import { isFromThisMachine, keptHeaders, signedHeaders } from './webhook-headers.ts';

describe('headers of a delivery', () => {
  it('that are credentials of the service are seen by no connector', () => {
    const headers = {
      ...{ 'x-mem-api-key': 'k', 'x-mem-agent-id': 'a', cookie: 'c', 'proxy-authorization': 'p' },
      ...{ authorization: 'Bearer k', 'x-hub-signature-256': 's', 'x-github-event': 'push' },
    };
    expect(signedHeaders(headers)).toEqual({ 'x-hub-signature-256': 's', 'x-github-event': 'push' });
    expect(signedHeaders({ authorization: 'Basic x' })).toEqual({ authorization: 'Basic x' });
  });

  it.each([
    ...['authorization', 'x-hub-signature', 'x-slack-signature', 'x-gitlab-token', 'x-amz-security-token', 'x-api-key'],
    ...['x-apikey', 'x-session-id', 'x-shared-secret', 'x-forwarded-for', 'forwarded', 'via', 'x-real-ip', 'host'],
    ...['cf-connecting-ip', 'x-amzn-trace-id', 'x-sign'],
  ])('%s is not kept', (name) => {
    expect(keptHeaders({ [name]: 'x' }, 'X-Sign')).toEqual({});
  });

  it.each(['x-github-event', 'x-github-delivery', 'x-slack-retry-num', 'x-event-id', 'user-agent', 'content-type'])(
    '%s is kept',
    (name) => {
      expect(keptHeaders({ [name]: 'x' }, 'X-Sign')).toEqual({ [name]: 'x' });
    },
  );
});

describe('a request of this machine', () => {
  it.each(['127.0.0.1', '127.1.2.3', '::1', '::ffff:127.0.0.1'])('comes from %s', (address) => {
    expect(isFromThisMachine(address, { host: 'localhost' })).toBe(true);
  });

  it.each([undefined, '10.0.0.1', '::ffff:10.0.0.1', '1127.0.0.1', '127.0.0.1.example.com'])(
    'does not come from %s',
    (address) => {
      expect(isFromThisMachine(address, { host: 'localhost' })).toBe(false);
    },
  );

  it.each([
    'forwarded',
    'x-forwarded-for',
    'x-forwarded-host',
    'x-real-ip',
    'via',
    'cf-connecting-ip',
    'origin',
    'sec-fetch-site',
    'client-ip',
    'fastly-client-ip',
    'x-amzn-trace-id',
    'x-arr-log-id',
    'x-appengine-user-ip',
    'x-proxyuser-ip',
    'x-azure-clientip',
  ])('has no header %s', (name) => {
    expect(isFromThisMachine('127.0.0.1', { host: 'localhost', [name]: 'x' })).toBe(false);
  });

  it.each([undefined, '', 'mem.example.com', 'localhost.example.com', '10.0.0.1:8765'])(
    'is not sent to the host %s',
    (host) => {
      expect(isFromThisMachine('127.0.0.1', { host })).toBe(false);
    },
  );
});
