import type { Caller } from '../../packages/server/src/kernel/index.ts';
import type { TestApp } from '../support/app.ts';
import type { KnownIds } from './table.ts';

export type LongNames = { as: Partial<Caller>; count: number; text: (length: number, i: number) => string };

/** Branches, merges, conflicts, grants, teams, members and quarantines with long names and texts; their ids are known afterwards. */
export async function layLongBranches(app: TestApp, known: KnownIds, { as, count, text }: LongNames): Promise<void> {
  const numbers = Array.from({ length: count }, (_, i) => i);
  const at = (i: number) => ({ entity_path: 'long/branches', key: text(240, i) });
  const write = (i: number, branch: string, value: unknown) =>
    app.call('entries.write', { ...at(i), value, branch } as never, as);
  for (const i of numbers) await write(i, 'main', 0);
  const name = 'experiment/long';
  await app.call('branches.create', { name }, as);
  for (const i of numbers) await write(i, name, 1);
  for (const i of numbers) {
    const merged = `experiment/long-${i}`;
    await app.call('branches.create', { name: merged, description: text(2000, i) }, as);
    await app.call('entries.write', { entity_path: 'long/merged', key: `${i}`, value: i, branch: merged }, as);
    await app.call('branches.merge', { name: merged, strategy: 'THREE_WAY', message: text(2000, i) }, as);
  }
  for (const i of numbers) await write(i, 'main', 2);
  const merge_id = 'merge-long';
  await app.call('branches.merge', { name, strategy: 'MANUAL', merge_id }, as).catch(({ code, message }) => {
    if (code !== 'merge_conflicts') throw new Error(message);
  });
  const team_id = await layTeam(app, name, { as, count, text });
  const quarantine_id = await layQuarantines(app, { as, count, text });
  Object.assign(known, { name, merge_id, team_id, quarantine_id });
}

/** The first has all that the agent wrote; there is nothing left for the others. */
async function layQuarantines(app: TestApp, { as, count, text }: LongNames): Promise<string> {
  const numbers = Array.from({ length: count }, (_, i) => i);
  const by = { agent_id: 'agent/importer' };
  for (const i of numbers)
    await app.call('entries.write', { entity_path: 'long/imported', key: text(240, i), value: i, ...by }, as);
  const ids: string[] = [];
  for (const i of numbers) {
    const reason = text(1000, i);
    ids.push((await app.call('quarantine.create', { written_by: by.agent_id, reason }, as)).quarantine_id);
  }
  return ids[0] as string;
}

async function layTeam(app: TestApp, branch: string, { as, count, text }: LongNames): Promise<string> {
  const admin = { ...as, key: { key_id: 'k', name: 'k', type: 'admin' as const } };
  let newest = '';
  for (let i = 0; i < count; i++) {
    const made = { name: `Long ${i}`, slug: `long-${i}`, description: text(1000, i) };
    newest = (await app.call('teams.create', made, admin)).team_id;
  }
  for (let i = 0; i < count; i++) {
    const email = `${'x'.repeat(200)}${i}@example.org`;
    await app.call('members.add', { team_id: newest, email, display_name: text(120, i), role: 'developer' }, admin);
    const grant = { name: branch, grantee_type: 'user' as const, grantee_id: email };
    await app.call('access.grant', { ...grant, permission: 'read' }, admin);
  }
  return newest;
}
