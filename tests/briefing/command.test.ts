import { describe, expect, it } from 'vitest';
import { render } from '../../packages/server/src/cli/render/index.ts';
import { openCompiling } from '../cortex/compiled.ts';
import { caughtUp } from './caught-up.ts';

const A = { agent_id: 'agent/a' };

describe('mem briefing', () => {
  it('prints a block for each section, and what to do first in an empty account', async () => {
    const app = await openCompiling('sqlite');
    const print = async (input: object) => {
      const answer = await app.call('briefing.read', input, { agent_id: 'agent/b' });
      return render('briefing.read', answer as never, { width: undefined, colour: false }).out;
    };
    expect(await print({})).toMatch(/^First\n {2}Memory is empty/);
    expect(await print({})).toMatch(/\(mem write\).*\(mem outcome\)/s);
    expect(await print({ entity_path: 'shop' })).toContain('(mem ask)');
    await app.call(
      'entries.write',
      { entity_path: 'shop', key: 'deploy', value: 'in two steps', memory_type: 'procedure' },
      A,
    );
    await app.call('entries.write', { entity_path: 'shop', key: 'limit', value: 50 }, A);
    await app.call('entries.write', { entity_path: 'shop', key: 'limit-old', value: 5 }, A);
    const commit = (outcome_ref: string, outcome_type: string, key: string) =>
      app.call(
        'outcomes.commit',
        {
          ...{ outcome_ref, outcome_type, causal_entry_keys: [`shop/${key}`] },
          tool_calls: [{ tool_name: `raise-${key}`, arguments: {} }],
        } as never,
        A,
      );
    await commit('pr-1', 'success', 'limit');
    await commit('pr-2', 'critical_failure', 'limit-old');
    await caughtUp(app);
    const text = await print({ entity_path: 'shop' });
    expect(text).toContain('Held up\n  shop limit (by agent/a, 0.');
    expect(text).toContain('Refuted by outcomes\n  shop limit-old (1 failure)');
    expect(text).toContain('How to\n  shop deploy (by agent/a, 0.70): in two steps');
    expect(text).toContain('Newest\n  shop limit-old (created by agent/a, ');
    expect(text).toContain('Tried here\n  raise-limit-old  0 of 1 succeeded, last critical_failure (pr-2)');
    expect(text).toContain('Who to ask\n  agent/a  wrote 1 of what outcomes support here, in 1 success');
    expect(text).toMatch(/Known here\n {2}shop \(entity, chance that you read here next: \d+ %\): /);
    expect(text).not.toMatch(/mem_\w/);
    const little = await print({ entity_path: 'shop', max_tokens: 50 });
    expect(little).toContain('1 item of "Who to ask" did not fit in --max-tokens\n');
    await app.close();
  });
});
