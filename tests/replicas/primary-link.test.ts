import { afterEach, describe, expect, it } from 'vitest';
import { HttpPrimaryLink } from '../../packages/server/src/http/primary-link.ts';
import { json, type StandIn, type StandInAnswer, standIn } from '../sdk/stand-in.ts';

describe('a server that hands over to its primary', () => {
  let primary: StandIn;
  afterEach(() => primary.close());
  const ask = async (answer: StandInAnswer) => {
    primary = await standIn(answer);
    const link = new HttpPrimaryLink({ url: primary.url, internalKey: 'internal', onWarning: () => {} });
    return link.ask('notes', {});
  };

  it('says so when that one only reads too', async () => {
    await expect(ask(json(421, { code: 'read_only' }))).rejects.toMatchObject({
      why: expect.stringContaining('answered 421: {"code":"read_only"}'),
    });
  });

  it('does not follow a redirect, which could take the key elsewhere', async () => {
    const moved = ask((response) => response.writeHead(307, { location: '/elsewhere' }).end());
    await expect(moved).rejects.toMatchObject({ why: expect.stringContaining('answered 307') });
    expect(primary.seen).toHaveLength(1);
  });
});
