import { operations } from '@mem-service/contract';
import { expect, it } from 'vitest';
import { demoAgents, demoEntries, demoSteps } from './steps.ts';

const steps = demoSteps('run');

it.each(steps.map((step, i) => [`${i} ${step.name}`, step] as const))(
  'step %s is a valid call',
  (_, { name, input }) => {
    expect(operations[name].input.safeParse(input)).toMatchObject({ success: true });
  },
);

it('everything that the demo writes is below demo/, by agents of its own', () => {
  for (const { name, input, call } of steps) {
    expect(demoAgents).toContain(call.agentId);
    if (name === 'entries.write') expect(input.entity_path).toMatch(/^demo\//);
  }
});

it('the demo writes over no entry of somebody else', () => {
  const seen = new Set<string>();
  for (const { name, input } of steps) {
    if (name !== 'entries.write') continue;
    const entry = `${input.entity_path}/${input.key}`;
    if (!seen.has(entry)) expect(input.if_version).toBe(0);
    seen.add(entry);
  }
  expect([...seen].sort()).toEqual(demoEntries.map(({ entity_path, key }) => `${entity_path}/${key}`).sort());
});
