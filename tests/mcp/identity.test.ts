import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { connect, newHome } from './support.ts';

describe('the name under which a client reads and writes', () => {
  it('is the client and the user, until it is set, and then stays with that client', async () => {
    const env = newHome();
    const claude = await connect(env, { name: 'Claude Code' });
    const { json } = await claude.call('mem_whoami');
    expect(json).not.toHaveProperty('sticky_identity');
    expect(json).toMatchObject({
      effective_identity: 'claude-code/ada',
      platform: 'claude-code',
      mode: 'local',
    });
    const set = await claude.call('mem_set_identity', { name: 'review-bot', description: 'Reads changes' });
    expect(set.json).toMatchObject({
      previous_identity: 'claude-code/ada',
      new_identity: 'review-bot',
      sticky: true,
      profile_saved: true,
    });
    await claude.call('mem_write', { entity_path: 'a', key: 'k', value: 1 });
    await claude.close();
    const later = await connect(env, { name: 'Claude Code' });
    expect((await later.call('mem_whoami')).json.effective_identity).toBe('review-bot');
    expect((await later.call('mem_my_entries')).json.entries).toMatchObject([{ key: 'k' }]);
  });

  it('never goes over to another client, not even on the same machine at the same time', async () => {
    const env = newHome();
    const [claude, cursor] = await Promise.all([
      connect(env, { name: 'claude-code' }),
      connect(env, { name: 'cursor' }),
    ]);
    await claude.call('mem_set_identity', { name: 'review-bot' });
    await claude.call('mem_write', { entity_path: 'a', key: 'mine', value: 1, shared: false });
    expect((await cursor.call('mem_whoami')).json.effective_identity).toBe('cursor/ada');
    expect((await cursor.call('mem_read', { entity_path: 'a', key: 'mine' })).json.status).toBe('not_found');
    const third = await connect(env, { name: 'codex' });
    expect((await third.call('mem_whoami')).json.effective_identity).toBe('codex/ada');
  });

  it('is removed on request', async () => {
    const env = { ...newHome(), MEM_AGENT_ID: 'from-the-environment' };
    const mcp = await connect(env, { name: 'vscode' });
    await mcp.call('mem_set_identity', { name: 'review-bot' });
    const file = (await mcp.call('mem_whoami')).json.identity_file as string;
    expect(existsSync(file)).toBe(true);
    const before = (await mcp.call('mem_whoami')).json.session_id;
    expect((await mcp.call('mem_reset_identity')).json).toMatchObject({
      previous_identity: 'review-bot',
      current_identity: 'from-the-environment',
    });
    expect(existsSync(file)).toBe(false);
    expect((await mcp.call('mem_whoami')).json.session_id).not.toBe(before);
  });

  it('is not changed while another conversation of the client works under it', async () => {
    const mcp = await connect(newHome());
    await mcp.call('mem_set_identity', { name: 'one' });
    const refused = await mcp.call('mem_set_identity', { name: 'two' });
    expect(refused).toMatchObject({
      isError: true,
      json: { code: 'conflict', current_identity: 'one', requested_identity: 'two', cooldown_seconds: 30 },
    });
    expect(refused.json.hint).toContain('mem_reset_identity');
    expect((await mcp.call('mem_whoami')).json.effective_identity).toBe('one');
    await mcp.call('mem_reset_identity');
    expect((await mcp.call('mem_set_identity', { name: 'two' })).json).toMatchObject({ new_identity: 'two' });
  });

  it('is refused when it is no name, and a spoilt file is not taken for one', async () => {
    const env = newHome();
    const mcp = await connect(env);
    const wrong = await mcp.call('mem_set_identity', { name: ' ' });
    expect(wrong).toMatchObject({ isError: true, json: { errors: [{ path: 'name' }] } });
    await mcp.call('mem_set_identity', { name: 'x' });
    await mcp.close();
    writeFileSync(join(env.HOME as string, '.mem', 'identity-test-client'), 'a\u0000b');
    const again = await connect(env);
    expect((await again.call('mem_whoami')).json.effective_identity).toBe('test-client/ada');
  });

  it('set again to the same name leaves the session and the profile alone', async () => {
    const mcp = await connect(newHome());
    const first = await mcp.call('mem_set_identity', { name: 'bot', description: 'first' });
    const second = await mcp.call('mem_set_identity', { name: 'bot' });
    expect(second.json).toMatchObject({ status: 'already_active', session_id: first.json.session_id });
  });
});
