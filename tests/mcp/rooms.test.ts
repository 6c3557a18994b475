import { StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { describe, expect, it, onTestFinished } from 'vitest';
import { caughtUp } from '../briefing/caught-up.ts';
import { backends } from '../support/app.ts';
import { type Hosted, openHosted } from '../support/hosted.ts';
import { type ConnectedClient, connect, type JsonObject, newHome, open } from './support.ts';

/** An agent of an account at `/mcp`. */
function agentOf({ server }: Hosted, key: string, agent_id: string): Promise<ConnectedClient> {
  const headers = { 'x-mem-api-key': key, 'x-mem-agent-id': agent_id };
  const address = new URL(`${server.url}/mcp?toolset=core,data,rooms`);
  return open('claude-code', new StreamableHTTPClientTransport(address, { requestInit: { headers } }));
}

/** What a tool answers where it does what it is asked. */
async function done(mcp: ConnectedClient, name: string, args: JsonObject = {}): Promise<JsonObject> {
  const { json, isError, text } = await mcp.call(name, args);
  expect(isError, `${name} ${text}`).toBe(false);
  return json;
}

async function refused(mcp: ConnectedClient, name: string, args: JsonObject): Promise<JsonObject> {
  const { json, isError, text } = await mcp.call(name, args);
  expect(isError, `${name} ${text}`).toBe(true);
  return json;
}

/** A call of each tool that takes a room. */
const CALLS = (room_id: string): readonly (readonly [name: string, args: JsonObject])[] => [
  ['mem_room_join', { room_id }],
  ['mem_room_info', { room_id }],
  ['mem_room_members', { room_id }],
  ['mem_room_updates', { room_id }],
  ['mem_room_discuss', { room_id, content: 'Hello?' }],
  ['mem_room_discussions', { room_id }],
  ['mem_room_update', { room_id, name: 'Ours' }],
  ['mem_room_set_discoverable', { room_id, discoverable: true }],
  ['mem_room_invite', { room_id }],
  ['mem_room_invitations', { room_id }],
  ['mem_room_withdraw_invite', { room_id, invitation_id: 'none' }],
  ['mem_room_remove_account', { room_id, label: 'crew' }],
  ['mem_room_leave', { room_id }],
  ['mem_room_close', { room_id }],
  ['mem_negotiate_create', { room_id, title: 'When to release' }],
  ['mem_negotiate_propose', { room_id, negotiation_id: 'none', proposal: 1 }],
  ['mem_negotiate_respond', { room_id, negotiation_id: 'none', action: 'accept' }],
  ['mem_negotiate_list', { room_id }],
  ['mem_negotiate_status', { room_id, negotiation_id: 'none' }],
  ['mem_negotiate_cancel', { room_id, negotiation_id: 'none' }],
  ['mem_room_add_document', { room_id, name: 'plan.md', content: 'Ship.' }],
  ['mem_room_documents', { room_id }],
  ['mem_room_document_read', { room_id, document_id: 'doc_3f9a1c7e5b2d8046' }],
  ['mem_room_delete_document', { room_id, document_id: 'doc_3f9a1c7e5b2d8046' }],
  ['mem_room_document_search', { room_id, q: 'ship' }],
  ['mem_write', { entity_path: `@${room_id}/plan`, key: 'release', value: 1 }],
  ['mem_read', { entity_path: `@${room_id}/plan`, key: 'release' }],
  ['mem_history', { entity_path: `@${room_id}/plan`, key: 'release' }],
  ['mem_delete', { entity_path: `@${room_id}/plan`, key: 'release' }],
  ['mem_list', { entity_path: `@${room_id}/**` }],
  ['mem_search', { query: 'monday', entity_path: `@${room_id}/**` }],
  ['mem_retrieve', { query: 'when is the release?', entity_path: `@${room_id}/**` }],
  ['mem_tree', { entity_path: `@${room_id}` }],
  ['mem_commit_batch', { writes: [{ entity_path: `@${room_id}/plan`, key: 'release', value: 1 }] }],
];

describe.each(backends)('rooms over MCP on %s', (backend) => {
  async function start() {
    const service = await openHosted(backend);
    onTestFinished(() => service.close());
    const [crew, guests, others] = [
      await service.newAccount({ name: 'Crew' }),
      await service.newAccount({ name: 'Guests' }),
      await service.newAccount({ name: 'Others' }),
    ];
    const planner = await agentOf(service, crew.key, 'planner');
    const tester = await agentOf(service, guests.key, 'tester');
    const outsider = await agentOf(service, others.key, 'planner');
    const { room_id } = (await done(planner, 'mem_room_create', { name: 'Release planning' })) as { room_id: string };
    return { service, guests, planner, tester, outsider, room_id };
  }

  it('two accounts agree on a plan, and write it down', async () => {
    const { service, guests, planner, tester, room_id } = await start();
    await done(planner, 'mem_room_invite', { room_id, account_id: guests.account_id });
    await caughtUp(service.app);
    const { invitations } = await done(tester, 'mem_my_invitations');
    expect(invitations).toMatchObject([{ room_id, room_name: 'Release planning', invited_by: 'crew' }]);
    const [{ invitation_id } = {}] = invitations as JsonObject[];
    const accepted = await done(tester, 'mem_room_accept_invite', { invitation_id });
    expect(accepted).toEqual({ room_id, agent: 'tester@guests', label: 'guests', joined: true });

    const question = { room_id, content: 'On friday?', message_type: 'question', addressed_to: 'tester@guests' };
    const { message_id } = await done(planner, 'mem_room_discuss', question);
    const asked = await done(tester, 'mem_room_discussions', { room_id, mentions_only: true });
    expect(asked).toEqual({ messages: [expect.objectContaining({ content: 'On friday?', agent: 'planner@crew' })] });
    await done(tester, 'mem_room_discuss', { room_id, content: 'Better on monday.', reply_to: message_id });

    const begun = await done(planner, 'mem_negotiate_create', { room_id, title: 'When to release' });
    const { negotiation_id } = begun;
    expect(await done(tester, 'mem_room_info', { room_id })).toMatchObject({
      ...{ role: 'member', joined: true, account_count: 2, open_negotiation_count: 1 },
      open_negotiations: [{ negotiation_id, title: 'When to release', agent: 'planner@crew' }],
      accounts: [{ label: 'crew' }, { label: 'guests' }],
    });
    await done(planner, 'mem_negotiate_propose', { room_id, negotiation_id, proposal: { release: 'monday' } });
    const answered = await done(tester, 'mem_negotiate_respond', { room_id, negotiation_id, action: 'accept' });
    expect(answered).toMatchObject({ status: 'agreed' });

    const plan = { entity_path: `@${room_id}/plan`, key: 'release' };
    expect(await done(planner, 'mem_write', { ...plan, value: { release: 'monday' } })).toMatchObject({ version: 1 });
    expect(await done(tester, 'mem_read', plan)).toMatchObject({
      value: { release: 'monday' },
      provenance: { agent_id: 'planner@crew' },
    });
    const { events } = await done(tester, 'mem_room_updates', { room_id });
    expect((events as JsonObject[]).map(({ event_type }) => event_type)).toEqual(
      expect.arrayContaining(['room_created', 'room_agent_joined', 'room_message', 'negotiation_ended', 'write']),
    );
  });

  it('proposals and answers are told apart, and what is missing is pointed to', async () => {
    const { planner, room_id } = await start();
    const tool = async (name: string) => {
      const { tools } = await planner.client.listTools();
      return tools.find((one) => one.name === name)?.inputSchema as { properties: JsonObject; required: string[] };
    };
    const respond = await tool('mem_negotiate_respond');
    expect(respond.properties.action).toMatchObject({ enum: ['accept', 'reject', 'abstain'] });
    expect(respond.required).toEqual(['room_id', 'negotiation_id', 'action']);
    const propose = await tool('mem_negotiate_propose');
    expect(propose.properties.action).toMatchObject({ enum: ['propose', 'counter'] });
    expect(propose.required).toEqual(['room_id', 'negotiation_id']);

    const at = { room_id, negotiation_id: 'none' };
    const error = async (name: string, args: JsonObject) => (await refused(planner, name, args)).error;
    expect(await error('mem_negotiate_respond', at)).toBe('action: is required');
    expect(await error('mem_negotiate_respond', { ...at, action: 'counter' })).toBe(
      'action: must be one of accept, reject, abstain',
    );
    const none = await refused(planner, 'mem_negotiate_respond', { ...at, action: 'accept' });
    expect(none).toMatchObject({ code: 'not_found', hint: expect.stringContaining('mem_room_info') });

    const broken = { room_id, name: 'plan.pdf', content: btoa('%PDF-1.4 and no more'), encoding: 'base64' };
    const { document_id } = await done(planner, 'mem_room_add_document', broken);
    const text = await done(planner, 'mem_room_document_read', { room_id, document_id });
    expect(text).toEqual({ document_id, hint: expect.stringContaining('mem_room_documents') });
  });

  it('a proposal that is JSON in quotes is what it says, and other text is text', async () => {
    const { planner, tester, room_id } = await start();
    const { token } = await done(planner, 'mem_room_invite', { room_id });
    await done(tester, 'mem_room_redeem', { token });
    for (const [given, kept] of [
      ['{"a":1}', { a: 1 }],
      [' ["monday"] ', ['monday']],
      ['{"n":1.0}', { n: 1 }],
      ['monday', 'monday'],
      ['5', '5'],
      ['{monday', '{monday'],
      [{ a: '{"b":1}' }, { a: '{"b":1}' }],
    ] as const) {
      const { negotiation_id } = await done(planner, 'mem_negotiate_create', { room_id, title: 'When to release' });
      await done(planner, 'mem_negotiate_propose', { room_id, negotiation_id, proposal: given });
      const { proposal } = await done(planner, 'mem_negotiate_status', { room_id, negotiation_id });
      expect(proposal).toMatchObject({ proposal: kept });
    }
  });

  it('who joins sees how things stand', async () => {
    const { service, guests, planner, tester, room_id } = await start();
    const { token } = await done(planner, 'mem_room_invite', { room_id });
    await done(tester, 'mem_room_redeem', { token, label: 'friends' });
    const helper = await agentOf(service, guests.key, 'helper');
    expect(await refused(helper, 'mem_room_discussions', { room_id })).toMatchObject({
      code: 'forbidden',
      hint: 'mem_room_join does that',
    });
    expect(await done(helper, 'mem_room_info', { room_id })).toMatchObject({ joined: false });
    for (let n = 0; n < 8; n++) {
      await done(planner, 'mem_write', {
        entity_path: `@${room_id}/plan/${n}`,
        key: 'release',
        value: 'x'.repeat(5000),
      });
      await done(planner, 'mem_room_discuss', { room_id, content: 'x'.repeat(5000) });
    }
    await done(planner, 'mem_negotiate_create', { room_id, title: 'When to release' });
    await done(planner, 'mem_room_add_document', { room_id, name: 'plan.md', content: 'Ship.' });
    const { json, text } = await helper.call('mem_room_join', { room_id });
    expect(json).toMatchObject({
      ...{ agent: 'helper@friends', joined: true, room: { name: 'Release planning', agent_count: 3 } },
      open_negotiations: [{ title: 'When to release', agent: 'planner@crew', round: 1 }],
      documents: [{ name: 'plan.md' }],
    });
    expect(json).not.toHaveProperty('left_out');
    const [newest, ...older] = json.recent_entries as JsonObject[];
    expect(newest).toMatchObject({ entity_path: `@${room_id}/plan/7`, key: 'release', agent_id: 'planner@crew' });
    expect(older).toHaveLength(4);
    expect(json.recent_messages).toHaveLength(5);
    expect(text.length).toBeLessThan(15_000);
    const since = await done(helper, 'mem_room_updates', { room_id, since: json.as_of as string });
    expect(since.events).toBeDefined();
  });

  it('all tools of entries work at the paths of a room, and show nothing of it elsewhere', async () => {
    const { planner, room_id } = await start();
    const plan = { entity_path: `@${room_id}/plan`, key: 'release' };
    const below = { entity_path: `@${room_id}/**` };
    await done(planner, 'mem_write', { ...plan, value: 'friday' });
    await done(planner, 'mem_write', { ...plan, value: 'monday morning' });
    await done(planner, 'mem_commit_batch', { writes: [{ ...plan, key: 'notes', value: 'call the testers' }] });
    const found = [expect.objectContaining({ ...plan, value: 'monday morning' })];
    expect((await done(planner, 'mem_list', below)).entries).toEqual(expect.arrayContaining(found));
    expect((await done(planner, 'mem_search', { query: 'monday', ...below })).entries).toEqual(found);
    const retrieved = await done(planner, 'mem_retrieve', { query: 'monday morning', ...below });
    expect(retrieved.entries).toEqual(expect.arrayContaining([expect.objectContaining(plan)]));
    expect((await done(planner, 'mem_history', plan)).versions).toHaveLength(2);
    expect(await done(planner, 'mem_diff', plan)).toMatchObject(plan);
    expect((await done(planner, 'mem_tree', { entity_path: `@${room_id}` })).nodes).toHaveLength(1);
    expect(await done(planner, 'mem_delete', plan)).toMatchObject({ deleted: true });
    expect(await done(planner, 'mem_restore', plan)).toMatchObject({ version: 4 });
    for (const [name, args] of [
      ['mem_list', {}],
      ['mem_search', { query: 'monday' }],
      ['mem_retrieve', { query: 'monday morning' }],
    ] as const)
      expect((await done(planner, name, args)).entries, name).toEqual([]);
    expect(await refused(planner, 'mem_briefing', { entity_path: `@${room_id}/plan` })).toMatchObject({
      code: 'invalid_input',
    });
  });

  it('outsiders, the invited and the removed hear the same as of a room that never was', async () => {
    const { service, guests, planner, tester, outsider, room_id } = await start();
    const never = 'release-planning-000000';
    const plain = (json: JsonObject) => JSON.parse(JSON.stringify(json).replaceAll(never, room_id)) as JsonObject;
    async function expectNoRoom(mcp: ConnectedClient) {
      for (const [i, [name, args]] of CALLS(room_id).entries()) {
        const answer = await refused(mcp, name, args);
        expect(answer, name).toMatchObject({ code: 'room_not_found' });
        const [, elsewhere = {}] = CALLS(never)[i] ?? [];
        expect(answer, name).toEqual(plain(await refused(mcp, name, elsewhere)));
      }
      expect((await done(mcp, 'mem_my_rooms')).rooms).toEqual([]);
    }
    await done(planner, 'mem_write', { entity_path: `@${room_id}/plan`, key: 'release', value: 'monday' });
    await expectNoRoom(outsider);
    await done(planner, 'mem_room_invite', { room_id, account_id: guests.account_id });
    await caughtUp(service.app);
    await expectNoRoom(tester);
    const { invitations } = await done(tester, 'mem_my_invitations');
    const [{ invitation_id } = {}] = invitations as JsonObject[];
    await refused(outsider, 'mem_room_accept_invite', { invitation_id });
    await done(tester, 'mem_room_accept_invite', { invitation_id });
    await done(tester, 'mem_read', { entity_path: `@${room_id}/plan`, key: 'release' });
    expect((await done(tester, 'mem_my_rooms')).rooms).toMatchObject([{ room_id, label: 'guests' }]);
    await done(planner, 'mem_room_remove_account', { room_id, label: 'guests' });
    await caughtUp(service.app);
    await expectNoRoom(tester);
    await done(planner, 'mem_room_close', { room_id });
    await caughtUp(service.app);
    await expectNoRoom(planner);
  });

  it('invitations are declined and withdrawn', async () => {
    const { service, guests, planner, tester, room_id } = await start();
    const invite = { room_id, account_id: guests.account_id };
    await done(planner, 'mem_room_invite', invite);
    await caughtUp(service.app);
    const received = async () => (await done(tester, 'mem_my_invitations')).invitations as JsonObject[];
    const [first] = await received();
    expect(await done(tester, 'mem_room_decline_invite', { invitation_id: first?.invitation_id })).toMatchObject({
      declined: true,
    });
    await caughtUp(service.app);
    const { invitation_id } = await done(planner, 'mem_room_invite', invite);
    expect((await done(planner, 'mem_room_invitations', { room_id })).invitations).toMatchObject([{ invitation_id }]);
    await done(planner, 'mem_room_withdraw_invite', { room_id, invitation_id });
    await caughtUp(service.app);
    expect(await received()).toEqual([]);
    expect(await refused(tester, 'mem_room_accept_invite', { invitation_id })).toMatchObject({ code: 'not_found' });
  });

  it('who leaves is out, until it joins again', async () => {
    const { planner, room_id } = await start();
    expect(await done(planner, 'mem_room_leave', { room_id })).toMatchObject({ joined: false });
    const write = { entity_path: `@${room_id}/plan`, key: 'release', value: 1 };
    expect(await refused(planner, 'mem_write', write)).toMatchObject({ code: 'forbidden', needs: 'join' });
    await done(planner, 'mem_room_join', { room_id });
    await done(planner, 'mem_write', write);
  });
});

it('two agents of one store share a room', async () => {
  const home = { ...newHome(), MEM_TOOLSET: 'core,rooms' };
  const planner = await connect(home, { name: 'planner-client' });
  const tester = await connect(home, { name: 'tester-client' });
  await done(planner, 'mem_set_identity', { name: 'planner' });
  await done(tester, 'mem_set_identity', { name: 'tester' });
  const { room_id } = (await done(planner, 'mem_room_create', { name: 'Release planning' })) as { room_id: string };
  const plan = { entity_path: `@${room_id}/plan`, key: 'release' };
  await done(planner, 'mem_write', { ...plan, value: 'monday' });
  expect(await refused(tester, 'mem_read', plan)).toMatchObject({ code: 'forbidden', needs: 'join' });
  expect(await done(tester, 'mem_room_join', { room_id })).toMatchObject({
    agent: 'tester@home',
    recent_entries: [{ ...plan, agent_id: 'planner@home' }],
  });
  expect(await done(tester, 'mem_read', plan)).toMatchObject({ value: 'monday' });
});

it('the branch of a session does not follow it into a room, which has none', async () => {
  const home = { ...newHome(), MEM_TOOLSET: 'all' };
  const first = await connect(home);
  await done(first, 'mem_branch_create', { name: 'trial' });
  const mcp = await connect({ ...home, MEM_BRANCH: 'trial' });
  const { room_id } = (await done(mcp, 'mem_room_create', { name: 'Release planning' })) as { room_id: string };
  const plan = { entity_path: `@${room_id}/plan`, key: 'release' };
  await done(mcp, 'mem_write', { ...plan, value: 'monday' });
  await done(mcp, 'mem_commit_batch', { writes: [{ ...plan, key: 'notes', value: 'call the testers' }] });
  expect(await done(mcp, 'mem_read', plan)).not.toHaveProperty('branch');
  expect(await done(mcp, 'mem_export', { entity_path: plan.entity_path })).toMatchObject({ entry_count: 2 });
  const { contents } = await mcp.client.readResource({ uri: `mem://entries/${plan.entity_path}/${plan.key}` });
  expect(contents).toMatchObject([{ text: expect.stringContaining('monday') }]);
  await done(mcp, 'mem_write', { entity_path: 'plan', key: 'release', value: 'tuesday' });
  expect(await done(mcp, 'mem_read', { entity_path: 'plan', key: 'release' })).toMatchObject({ branch: 'trial' });
});
