import { describe, expect, it } from 'vitest';
import { backends, type TestApp } from '../support/app.ts';
import { useMemory } from './support/memory.ts';
import { expectNoSidewaysScroll, findings, LOOKS, wear } from './support/window.ts';

const AT = 'checkout/payments';

/** A branch with three changes, and an entry that another was written from. */
async function fill({ call }: TestApp): Promise<void> {
  const write = (key: string, value: unknown, branch = 'main') =>
    call('entries.write', { entity_path: AT, key, value: value as never, branch }, { agent_id: 'planner' });
  await write('retry-policy', { attempts: 5 });
  await call('branches.create', { name: 'try' });
  await write('retry-policy', { attempts: 3 }, 'try');
  await write('retry-budget', 120, 'try');
  await write('unwanted', true, 'try');
  const wrong = { entity_path: AT, key: 'wrong', value: 'the gateway never times out' };
  await call('entries.write', wrong, { agent_id: 'importer' });
  const session = { agent_id: 'deploy-bot', session_id: 's' };
  await call('entries.read', { entity_path: AT, key: 'wrong' }, session);
  await call('entries.write', { entity_path: 'deploy', key: 'timeouts', value: 'none are needed' }, session);
}

describe.each(backends)('picking entries and quarantine on %s', (backend) => {
  const { app, open } = useMemory(backend, fill);
  const keysAt = async (entity_path: string) =>
    (await app().call('entries.list', { entity_path })).entries.map(({ key }) => key).sort();

  it('entries of a difference are picked onto another branch, and taken back by Undo', async () => {
    const { page, complaints } = await open('#/branches/try');
    for (const key of ['retry-policy', 'retry-budget']) await page.getByLabel(`Choose ${AT}/${key}`).check();
    await page.getByText('2 entries chosen').waitFor();
    await page.getByRole('button', { name: 'Pick onto a branch…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Pick 2 entries from try' });
    await dialog.getByText('1 entry added, 1 modified, 0 deleted').waitFor();
    await dialog.getByRole('button', { name: 'Pick', exact: true }).click();
    await page.getByText('2 entries picked onto main').waitFor();
    expect(await keysAt(AT)).toEqual(['retry-budget', 'retry-policy', 'wrong']);
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('main is as it was before').waitFor();
    expect(await keysAt(AT)).toEqual(['retry-policy', 'wrong']);
    const { value } = await app().call('entries.read', { entity_path: AT, key: 'retry-policy' });
    expect(value).toEqual({ attempts: 5 });
    expect(complaints).toEqual([]);
  });

  it('an entry and what rests on it are put under quarantine with a reason, listed, and released', async () => {
    const { page, complaints } = await open('#/branches?view=quarantine');
    await page.getByText('Nothing is under quarantine.').waitFor();
    await page.keyboard.press('n');
    const dialog = page.getByRole('dialog', { name: 'Put entries under quarantine' });
    await dialog.getByLabel('Path').fill(AT);
    await dialog.getByLabel('Key').fill('wrong');
    await dialog.getByLabel('Reason').fill('The importer read the wrong file.');
    await dialog.getByText(/^2 entries; /).waitFor();
    await dialog.getByRole('button', { name: 'Put under quarantine' }).click();
    await page.getByText('2 entries under quarantine').waitFor();
    expect(await keysAt('*')).toEqual(['retry-policy']);
    await page.getByRole('link', { name: 'The importer read the wrong file.' }).click();
    await page.getByRole('row', { name: /deploy.*timeouts.*deploy-bot.*1 step.*under quarantine/ }).waitFor();
    await page.getByRole('button', { name: 'Release' }).click();
    await page.getByText('2 entries released').waitFor();
    await page.getByRole('row', { name: /wrong.*released/ }).waitFor();
    expect(await keysAt('*')).toEqual(['retry-policy', 'timeouts', 'wrong']);
    expect(complaints).toEqual([]);
  });

  it('a quarantine is taken back by Undo', async () => {
    const { page } = await open('#/branches?view=quarantine&status=all');
    await page.getByRole('button', { name: 'Quarantine…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Put entries under quarantine' });
    await dialog.getByRole('button', { name: 'What an agent wrote' }).click();
    await dialog.getByLabel('Agent').fill('importer');
    await dialog.getByLabel('Also what was written').uncheck();
    await dialog.getByText(/^1 entry; /).waitFor();
    await dialog.getByRole('button', { name: 'Put under quarantine' }).click();
    await page.getByText('1 entry under quarantine').waitFor();
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('1 entry released').waitFor();
    expect(await keysAt('*')).toEqual(['retry-policy', 'timeouts', 'wrong']);
  });

  if (backend !== 'sqlite') return;

  it.each(['#/branches/try', '#/branches?view=quarantine&status=all'])('%s is the same for all', async (address) => {
    const { page } = await open(address);
    await page
      .getByRole('main')
      .getByText(/planner|dashboard/)
      .first()
      .waitFor();
    for (const look of LOOKS) {
      await wear(page, look);
      expect(await findings(page), JSON.stringify(look)).toEqual([]);
      await expectNoSidewaysScroll(page);
    }
  });
});
