import { operations } from '@mem-service/contract';
import { describe, expect, it } from 'vitest';
import { plainIssue } from '../../packages/contract/src/plain-issues.ts';

describe('what is refused', () => {
  it('names the forms that there are where the given one is unknown', () => {
    const definition = { kind: 'code', checks: [{ check: 'mostt', of: 'steps', limit: 1 }] };
    const { error } = operations['judges.create'].input.safeParse({ judge_id: 'x', definition }, { error: plainIssue });
    expect(error?.issues.map(({ path, message }) => `${path.join('.')} ${message}`)).toEqual([
      expect.stringMatching(/^definition\.checks\.0\.check must be one of json_path, pattern, .*most/),
    ]);
  });

  it('says that one value is wanted where a list of what is allowed is given', () => {
    const checks = [{ check: 'pattern', pattern: 'x', in: ['task_input'] }];
    const input = { judge_id: 'x', definition: { kind: 'code', checks } };
    const { error } = operations['judges.create'].input.safeParse(input, { error: plainIssue });
    expect(error?.issues.map(({ path, message }) => `${path.join('.')} ${message}`)).toEqual([
      expect.stringMatching(/^definition\.checks\.0\.in must be one of task_input, .*spans, not a list$/),
    ]);
  });
});
