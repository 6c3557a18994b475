import { describe, expect, it, onTestFinished } from 'vitest';
import { caughtUp } from '../../../tests/briefing/caught-up.ts';
import { newAccount } from '../../../tests/contract/table.ts';
import { refusal } from '../../../tests/entries/support.ts';
import { pdfOf } from '../../../tests/file-text/make-pdf.ts';
import { docxOf, paragraph } from '../../../tests/file-text/make-zip.ts';
import { backends, openTestApp, type TestApp } from '../../../tests/support/app.ts';
import { get, openHosted, post } from '../../../tests/support/hosted.ts';
import { longestTurnOf } from '../../../tests/support/turns.ts';
import { accountOfRoom, readAccount } from '../../server/src/module.ts';

const OTHER = '00000000-0000-0000-0000-00000000000b';
const planner = { agent_id: 'agent/planner' };
const tester = { agent_id: 'agent/tester' };
const GUEST = '00000000-0000-0000-0000-00000000000c';
const guest = { agent_id: 'agent/guest', account_id: GUEST };
const outsider = { agent_id: 'agent/planner', account_id: OTHER };
const PDF = pdfOf([['The release train'], ['ships on Monday']]).toString('base64');

describe.each(backends)('documents of rooms on %s', (backend) => {
  const open = async () => {
    const app = await openTestApp(backend);
    onTestFinished(() => app.close());
    await newAccount(app, OTHER);
    const { room_id } = await app.call('rooms.create', { name: 'Release planning', label: 'crew' }, planner);
    return { app, room_id };
  };
  const add = (app: TestApp, room_id: string, given: object) =>
    app.call('room_documents.add', { room_id, name: 'plan.md', content: 'Ship on Monday.', ...given }, planner);
  /** The document once its text was read. */
  const added = async (app: TestApp, room_id: string, given: object) => {
    const { document_id } = await add(app, room_id, given);
    await caughtUp(app);
    return app.call('room_documents.read', { room_id, document_id }, planner);
  };
  const textOf = async (app: TestApp, room_id: string, document_id: string) =>
    (await app.call('room_documents.read_text', { room_id, document_id }, planner)).passages;

  it('are pending until their text was read', async () => {
    const { app, room_id } = await open();
    const document = await add(app, room_id, { title: 'The plan' });
    expect(document).toMatchObject({
      ...{ room_id, name: 'plan.md', title: 'The plan', format: 'markdown', version: 1, status: 'pending' },
      ...{ readable_version: null, bytes: 15, agent_id: 'agent/planner@crew' },
    });
    expect(await added(app, room_id, {})).toMatchObject({
      ...{ status: 'ready', readable_version: 1, page_count: 1, char_count: 15, title: 'The plan', reason: null },
    });
    expect(await app.call('room_documents.list', { room_id }, planner)).toMatchObject({
      documents: [{ document_id: document.document_id, status: 'ready' }],
    });
  });

  it('of PDF are read and found by page', async () => {
    const { app, room_id } = await open();
    const { document_id } = await added(app, room_id, { name: 'plan.pdf', content: PDF, encoding: 'base64' });
    expect(await textOf(app, room_id, document_id)).toEqual([
      { page: 1, text: 'The release train' },
      { page: 2, text: 'ships on Monday' },
    ]);
    const asked = { room_id, document_id, from_page: 2, to_page: 2 };
    expect((await app.call('room_documents.read_text', asked, planner)).passages).toMatchObject([{ page: 2 }]);
    const found = await app.call('room_documents.search', { q: 'monday ship' }, planner);
    expect(found).toMatchObject({ passages: [{ room_id, document_id, name: 'plan.pdf', page: 2 }], complete: true });
  });

  it('that are the same change nothing, and others are the next version', async () => {
    const { app, room_id } = await open();
    const first = await added(app, room_id, {});
    expect(await add(app, room_id, {})).toEqual(first);
    const second = await add(app, room_id, { content: 'Ship on Friday.' });
    expect(second).toMatchObject({ document_id: first.document_id, version: 2, readable_version: 1 });
    expect(await added(app, room_id, { content: 'Ship on Friday.' })).toMatchObject({ readable_version: 2 });
    expect(await textOf(app, room_id, first.document_id)).toEqual([{ page: 1, text: 'Ship on Friday.' }]);
    expect((await app.call('room_documents.search', { q: 'monday' }, planner)).passages).toEqual([]);
  });

  it('that cannot be read say why, and the version before stays', async () => {
    const { app, room_id } = await open();
    const { document_id } = await added(app, room_id, {});
    const token = `ghp_${'aB3dE5fG7hJ9kL2mN4pQ6rS8tU1vW3xY5zA7'}`;
    const failed = await added(app, room_id, { content: `use ${token}` });
    expect(failed).toMatchObject({ status: 'failed', reason: 'credentials', version: 2, readable_version: 1 });
    expect(JSON.stringify(failed)).not.toContain(token);
    expect(await textOf(app, room_id, document_id)).toEqual([{ page: 1, text: 'Ship on Monday.' }]);
    const broken = {
      name: 'cut.pdf',
      content: Buffer.from('%PDF-1.7\n1 0 obj').toString('base64'),
      encoding: 'base64',
    };
    expect(await added(app, room_id, broken)).toMatchObject({ status: 'failed', reason: 'broken', page_count: null });
  });

  it('are refused at once where their name or content is wrong', async () => {
    const { app, room_id } = await open();
    const wrong = [
      { name: '../../etc/plan.md' },
      { name: '..\\plan.md' },
      { name: 'plan.exe' },
      { content: '' },
      { content: '%%%', encoding: 'base64' },
      { content: 'half of \ud800' },
      { name: 'plan.pdf', content: '<html></html>' },
      { name: 'plan.txt', content: PDF, encoding: 'base64' },
    ];
    expect(await refusal(add(app, room_id, { content: '' }))).toMatchObject({ detail: 'content: the file is empty' });
    for (const given of wrong) expect(await refusal(add(app, room_id, given))).toMatchObject({ code: 'invalid_input' });
    expect(await app.call('room_documents.list', { room_id }, planner)).toMatchObject({ documents: [] });
  });

  it('long ones are read in pages of passages', async () => {
    const { app, room_id } = await open();
    const content = Array.from({ length: 400 }, (_, at) => `Paragraph ${at} ${'words '.repeat(15)}`).join('\n\n');
    const { document_id, page_count } = await added(app, room_id, { content });
    expect(page_count).toBeGreaterThan(10);
    const passages: { page: number; text: string }[] = [];
    let cursor: string | undefined;
    do {
      const page = await app.call('room_documents.read_text', { room_id, document_id, limit: 7, cursor }, planner);
      passages.push(...page.passages);
      cursor = page.next_cursor ?? undefined;
    } while (cursor !== undefined);
    const text = passages.map((passage) => passage.text).join('');
    expect(text.replace(/\s+/g, '') === content.replace(/\s+/g, '')).toBe(true);
    const found = await app.call('room_documents.search', { q: '"paragraph 399"', room_id }, planner);
    expect(found.passages).toMatchObject([{ page: page_count }]);
  });

  it('are searched one by one, however often others have the words', async () => {
    const { app, room_id } = await open();
    const words = 'monday friday '.repeat(36_000);
    const before = await added(app, room_id, { name: 'before.txt', content: words });
    const { document_id } = await added(app, room_id, { content: 'Ship on Monday.\fNever on Friday.' });
    await added(app, room_id, { name: 'after.txt', content: words });
    const search = (q: string, id: string) =>
      app.call('room_documents.search', { q, room_id, document_id: id, limit: 50 }, planner);
    expect(await search('monday', document_id)).toMatchObject({
      ...{ passages: [{ document_id, page: 1 }], complete: true },
    });
    expect((await search('monday friday', document_id)).passages).toHaveLength(2);
    expect(await search('saturday', document_id)).toEqual({ passages: [], complete: true });
    const many = await search('monday', before.document_id);
    expect(new Set(many.passages.map((one) => one.document_id))).toEqual(new Set([before.document_id]));
    expect(many).toMatchObject({ passages: { length: 50 }, complete: false });
    await add(app, room_id, { content: 'Ship on Saturday.' });
    expect((await search('monday', document_id)).passages).toHaveLength(1);
    expect(await search('monday', 'doc_0000000000000000')).toEqual({ passages: [], complete: true });
  });

  it('are gone with their text once they are deleted', async () => {
    const { app, room_id } = await open();
    const { document_id } = await added(app, room_id, {});
    await app.call('rooms.join', { room_id }, tester);
    const gone = { document_id, room_id, deleted: true };
    expect(await app.call('room_documents.delete', { room_id, document_id }, planner)).toEqual(gone);
    const read = app.call('room_documents.read_text', { room_id, document_id }, planner);
    expect(await refusal(read)).toMatchObject({ code: 'not_found' });
    expect((await app.call('room_documents.search', { q: 'monday' }, planner)).passages).toEqual([]);
    expect(await added(app, room_id, {})).toMatchObject({ version: 1, status: 'ready' });
  });

  it('are deleted by who added them first or by the owner of the room, whoever added the newest version', async () => {
    const { app, room_id } = await open();
    await newAccount(app, GUEST);
    const { token } = await app.call('rooms.invite', { room_id }, planner);
    await app.call('room_invitations.redeem', { token: token as string, label: 'guests' }, guest);
    await app.call('rooms.join', { room_id }, tester);
    const { document_id } = await add(app, room_id, {});
    const change = { room_id, name: 'plan.md', content: 'Ship on Friday.' };
    const changed = await app.call('room_documents.add', change, guest);
    expect(changed).toMatchObject({ version: 2, agent_id: 'agent/guest@guests', added_by: 'agent/planner@crew' });
    await caughtUp(app);
    const remove = (id: string, as: object) => app.call('room_documents.delete', { room_id, document_id: id }, as);
    expect(await refusal(remove(document_id, guest))).toMatchObject({ code: 'forbidden' });
    await remove(document_id, planner);
    const own = await app.call('room_documents.add', { ...change, name: 'notes.md' }, guest);
    await app.call('room_documents.add', { ...change, name: 'notes.md', content: 'Other notes.' }, planner);
    await remove(own.document_id, guest);
    const other = await app.call('room_documents.add', { ...change, name: 'notes.md' }, guest);
    await remove(other.document_id, tester);
  });

  it('count as stored: their content until it was read, then the text that is shown', async () => {
    const { app, room_id } = await open();
    const account_id = accountOfRoom(room_id);
    const { read } = app.kernel.services.database.forAccount(account_id);
    const stored = async () => (await readAccount(read, account_id))?.storage_bytes;
    const content = Buffer.from(PDF, 'base64').length;
    const { document_id } = await add(app, room_id, { name: 'plan.pdf', content: PDF, encoding: 'base64' });
    expect(await stored()).toBe(content);
    await caughtUp(app);
    const text = 'The release trainships on Monday'.length;
    expect(await stored()).toBe(text);
    const broken = { content: Buffer.from('%PDF-1.7\n1 0 obj').toString('base64'), encoding: 'base64' };
    await add(app, room_id, { name: 'plan.pdf', ...broken });
    expect(await stored()).toBe(text + 16);
    await caughtUp(app);
    expect(await stored()).toBe(text);
    await app.call('room_documents.delete', { room_id, document_id }, planner);
    expect(await stored()).toBe(0);
  });

  it('have the space that the plan of the owner of the room has', async () => {
    const plans = { small: { ops_per_month: null, storage_bytes: 10_000 } };
    const service = await openHosted(backend, { app: { settings: { plans } } });
    onTestFinished(() => service.close());
    const { key } = await service.newAccount({ plan: 'small' });
    const { room_id } = (await service.as(key, post('/api/v1/rooms', { name: 'Release planning' }))).json;
    const documents = `/api/v1/rooms/${room_id}/documents`;
    const content = docxOf(paragraph('word '.repeat(10_000))).toString('base64');
    const packed = await service.as(key, post(documents, { name: 'long.docx', content, encoding: 'base64' }));
    expect(packed.status).toBe(202);
    await caughtUp(service.app);
    const list = await service.as(key, get(documents));
    expect(list.json.documents).toMatchObject([{ status: 'failed', reason: 'too_much_text' }]);
    const add = (name: string) => service.as(key, post(documents, { name, content: 'word '.repeat(1_000) }));
    expect((await add('one.txt')).status).toBe(202);
    expect((await add('two.txt')).status).toBe(202);
    expect((await add('three.txt')).json).toMatchObject({ code: 'over_limit', limit: 'storage_bytes' });
  });

  it('that are deleted before their text was read stay deleted', async () => {
    const { app, room_id } = await open();
    const { document_id } = await add(app, room_id, { name: 'plan.pdf', content: PDF, encoding: 'base64' });
    await app.call('room_documents.delete', { room_id, document_id }, planner);
    await caughtUp(app);
    expect(await app.call('room_documents.list', { room_id }, planner)).toMatchObject({ documents: [] });
    expect((await app.call('room_documents.search', { q: 'release' }, planner)).passages).toEqual([]);
  });

  // PostgreSQL is another process.
  it.runIf(backend === 'sqlite')('with very many words are searched without holding up others', async () => {
    const { app, room_id } = await open();
    const words = Array.from({ length: 3000 }, (_, at) => `w${((at * 7919) % 100_003).toString(36)}`).join(' ');
    for (const n of [1, 2, 3]) {
      const content = `${words} `.repeat(1_800_000 / words.length);
      expect(await added(app, room_id, { name: `${n}.txt`, content })).toMatchObject({ status: 'ready' });
    }
    const turn = await longestTurnOf(() => app.call('room_documents.search', { q: 'w*', limit: 50 }, planner));
    expect(turn).toBeLessThan(80);
  });

  it('answer another account as if the room were not there', async () => {
    const { app, room_id } = await open();
    const { document_id } = await added(app, room_id, {});
    const unknown = 'release-planning-000000';
    const say = async (asked: (room: string) => Promise<unknown>) => {
      const [there, nowhere] = [await refusal(asked(room_id)), await refusal(asked(unknown))];
      expect(there.code).toBe('room_not_found');
      expect(JSON.parse(JSON.stringify(there).replaceAll(room_id, unknown))).toEqual(nowhere);
    };
    const document = (room: string) => ({ room_id: room, document_id });
    await say((room) => app.call('room_documents.add', { room_id: room, name: 'a.md', content: 'a' }, outsider));
    await say((room) => app.call('room_documents.list', { room_id: room }, outsider));
    await say((room) => app.call('room_documents.read', document(room), outsider));
    await say((room) => app.call('room_documents.read_text', document(room), outsider));
    await say((room) => app.call('room_documents.delete', document(room), outsider));
    await say((room) => app.call('room_documents.search', { q: 'monday', room_id: room }, outsider));
    expect((await app.call('room_documents.search', { q: 'monday' }, outsider)).passages).toEqual([]);
  });

  it('are for agents that have joined, until they leave', async () => {
    const { app, room_id } = await open();
    const { document_id } = await added(app, room_id, {});
    const search = () => app.call('room_documents.search', { q: 'monday' }, tester);
    const asks = [
      () => app.call('room_documents.list', { room_id }, tester),
      () => app.call('room_documents.read_text', { room_id, document_id }, tester),
      () => app.call('room_documents.search', { q: 'monday', room_id }, tester),
    ];
    const refused = { code: 'forbidden', needs: 'join', room_id };
    for (const ask of asks) expect(await refusal(ask())).toMatchObject(refused);
    expect((await search()).passages).toEqual([]);
    await app.call('rooms.join', { room_id }, tester);
    for (const ask of asks) await ask();
    expect((await search()).passages).toHaveLength(1);
    await app.call('rooms.leave', { room_id, ...tester });
    for (const ask of asks) expect(await refusal(ask())).toMatchObject(refused);
    expect((await search()).passages).toEqual([]);
  });
});
