import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findCommand } from '../../packages/server/src/cli/commands.ts';
import { commandHelp } from '../../packages/server/src/cli/help.ts';
import { type Desk, openDesk } from './support.ts';

describe('a word that is a command only with a second one', () => {
  let desk: Desk;
  beforeEach(async () => {
    desk = await openDesk();
  });
  afterEach(() => desk.remove());

  it('lists what may follow it', async () => {
    const single = await desk.inProcess(['eval']);
    expect(single).toMatchObject({ code: 0, out: expect.stringMatching(/^ {2}eval run +Run a set/m) });
    for (const second of ['judges', 'seed', 'incident', 'resolve', 'approve-fix', 'set-alert'])
      expect(single.out).toContain(`  eval ${second} `);
    expect(single.out).toMatch(/^ {2}eval overrule +Overrule a judge$/m);
    expect((await desk.inProcess(['help', 'eval'])).out).toBe(single.out);
    expect((await desk.inProcess(['eval', '--help'])).out).toBe(single.out);
  });

  it('names them where the second is misspelt', async () => {
    const { code, err } = await desk.inProcess(['eval', 'sumary']);
    expect({ code, err }).toEqual({
      code: 2,
      err: 'mem: eval has no command "sumary". Did you mean summary? mem eval lists all\n',
    });
    expect((await desk.inProcess(['eval', 'rnu'])).err).toContain('Did you mean run?');
    expect((await desk.inProcess(['eval', 'water'])).err).toContain('"water". It has create-judge, ');
    expect((await desk.inProcess(['uninstall'])).err).toContain(': mem init --uninstall takes back');
  });

  it('counts commands that the program adds among them', async () => {
    expect((await desk.inProcess(['room'])).out).toMatch(/^ {2}room add-document +Add a file to a room/m);
    const help = await desk.inProcess(['help', 'add-document']);
    expect((await desk.inProcess(['help', 'room', 'add-document'])).out).toBe(help.out);
    const missing = await desk.inProcess(['room', 'add-document', 'a-room']);
    expect(missing).toMatchObject({ code: 2, err: 'mem: file is missing: see mem help add-document\n' });
  });

  it('names flags in errors as a command of one word does', async () => {
    const { err } = await desk.inProcess(['room', 'create', 'Planning', '--label', 'NOT SO']);
    expect(err).toMatch(/^mem: --label: must be small letters/);
  });
});

describe('what goes on in the background', () => {
  it('is begun without a server, which the command says', async () => {
    const desk = await openDesk();
    try {
      await desk.inProcess(['write', 'svc', 'k', '1']);
      const { code, err } = await desk.inProcess(['scan-patterns']);
      expect({ code, err }).toEqual({ code: 0, err: expect.stringContaining('mem serve does it') });
      expect((await desk.inProcess(['pattern-scans'])).err).toBe('');
    } finally {
      desk.remove();
    }
  });
});

describe('a document whose text is not there yet', () => {
  it('says where to look', async () => {
    const desk = await openDesk();
    try {
      const made = await desk.inProcess(['room', 'create', 'Planning', '--json']);
      const { room_id } = JSON.parse(made.out) as { room_id: string };
      writeFileSync(join(desk.folder, 'plan.md'), 'Ship on Monday.');
      const added = await desk.inProcess(['room', 'add-document', room_id, join(desk.folder, 'plan.md'), '--json']);
      const { document_id } = JSON.parse(added.out) as { document_id: string };
      const { err } = await desk.inProcess(['room', 'read-document', room_id, document_id]);
      expect(err).toContain(`mem show-document ${room_id} ${document_id} says why`);
    } finally {
      desk.remove();
    }
  });
});

describe('an agent in a room', () => {
  it('leaves it without naming itself again', async () => {
    const desk = await openDesk();
    try {
      const made = await desk.inProcess(['room', 'create', 'Planning', '--agent', 'planner', '--json']);
      const { room_id } = JSON.parse(made.out) as { room_id: string };
      const left = await desk.inProcess(['room', 'leave', room_id, '--agent', 'planner', '--json']);
      expect(JSON.parse(left.out)).toMatchObject({ agent: 'planner@home', joined: false });
    } finally {
      desk.remove();
    }
  });
});

describe('a second proposal in a negotiation', () => {
  it('is told how to answer the first one, and how to counter it', async () => {
    const desk = await openDesk();
    try {
      const as = (agent: string, ...args: string[]) => desk.inProcess([...args, '--agent', agent]);
      const made = await as('planner', 'room', 'create', 'Planning', '--json');
      const { room_id } = JSON.parse(made.out) as { room_id: string };
      await as('tester', 'room', 'join', room_id);
      const begun = await as('planner', 'room', 'create-negotiation', room_id, 'When', '--json');
      const { negotiation_id } = JSON.parse(begun.out) as { negotiation_id: string };
      const propose = ['negotiate', room_id, negotiation_id, '--proposal', '1'];
      expect((await as('planner', ...propose)).code).toBe(0);
      const at = `mem negotiate ${room_id} ${negotiation_id}`;
      const err = `mem: there is a proposal already: ${at} accept answers it (or reject, or abstain), and ${at} counter --proposal <json> counters it\n`;
      expect(await as('tester', ...propose)).toEqual({ code: 5, out: '', err });
      expect((await as('tester', 'negotiate', room_id, negotiation_id, 'counter', '--proposal', '2')).code).toBe(0);
      expect((await as('planner', 'negotiate', room_id, negotiation_id, 'accept')).code).toBe(0);
    } finally {
      desk.remove();
    }
  });
});

describe('the help of a command', () => {
  it('names its neighbours, of a long group only those of its module', () => {
    const also = commandHelp(findCommand('set-alert') as NonNullable<ReturnType<typeof findCommand>>);
    expect(also).toContain('See also: mem alert-rules');
    expect(also).not.toContain('mem create-judge');
  });
});
