import { describe, expect, it } from 'vitest';
import { ConfigError, readConfig } from './config.ts';
import { connectorSettings, unreadVariables } from './config-connectors.ts';

const settings = (env: Record<string, string>, name = 'my-tool') =>
  connectorSettings(readConfig(env).connectorVariables, name);

describe('the variables of a connector', () => {
  it('are found by its name', () => {
    expect(settings({})).toEqual({ secrets: [], unsigned: false, records_outcomes: false });
    const env = {
      MEM_CONNECTOR_MY_TOOL_SECRET: 'new secret',
      MEM_CONNECTOR_MY_TOOL_SECRET_PREVIOUS: 'old secret',
      MEM_CONNECTOR_MY_TOOL_UNSIGNED: 'loopback',
      MEM_CONNECTOR_MY_TOOL_OUTCOMES: 'on',
      MEM_CONNECTOR_MY_SECRET: 'another one',
    };
    const both = ['new secret', 'old secret'];
    expect(settings(env)).toEqual({ secrets: both, unsigned: true, records_outcomes: true });
    expect(settings(env, 'my').secrets).toEqual(['another one']);
    expect(readConfig(env).warnings).toEqual([]);
  });

  it('count as not set where they are empty', () => {
    expect(settings({ MEM_CONNECTOR_MY_TOOL_SECRET: '', MEM_CONNECTOR_MY_TOOL_UNSIGNED: '' })).toEqual(settings({}));
  });

  it.each([
    ['SECRET', '1234567', /^MEM_CONNECTOR_MY_TOOL_SECRET must have at least 8 characters/],
    ['SECRET', ' 12345678', /^MEM_CONNECTOR_MY_TOOL_SECRET begins or ends with white space/],
    ['SECRET', '12345678\n', /^MEM_CONNECTOR_MY_TOOL_SECRET begins or ends with white space/],
    ['SECRET_PREVIOUS', '1234567', /^MEM_CONNECTOR_MY_TOOL_SECRET_PREVIOUS must have at least 8/],
    [
      'SECRET_PREVIOUS',
      '12345678',
      /^MEM_CONNECTOR_MY_TOOL_SECRET_PREVIOUS is set without MEM_CONNECTOR_MY_TOOL_SECRET,/,
    ],
    ['UNSIGNED', 'yes', /^MEM_CONNECTOR_MY_TOOL_UNSIGNED must be loopback/],
    ['OUTCOMES', 'yes', /^MEM_CONNECTOR_MY_TOOL_OUTCOMES must be on or off/],
  ])('stop the start where %s is %j, and show no secret', (ending, text, message) => {
    let problem = '';
    try {
      readConfig({ [`MEM_CONNECTOR_MY_TOOL_${ending}`]: text });
    } catch (error) {
      expect(error).toBeInstanceOf(ConfigError);
      problem = (error as Error).message;
    }
    expect(problem).toMatch(message);
    expect(problem).not.toContain('1234567');
  });

  it('may not open a hosted service to unsigned deliveries', () => {
    const env = { MEM_MODE: 'hosted', MEM_CONNECTOR_MY_TOOL_UNSIGNED: 'loopback' };
    expect(() => readConfig(env)).toThrow('MEM_CONNECTOR_MY_TOOL_UNSIGNED is not for MEM_MODE=hosted');
  });

  it('are named where no connector reads them', () => {
    const variables = {
      ...{ MEM_CONNECTOR_MY_TOOL_SECRET: 'a', MEM_CONNECTOR_MY_TOOL_REGION: 'b' },
      ...{ MEM_CONNECTOR_MY_TOLL_SECRET: 'c', MEM_CONNECTOR_MY_TOOL_REGON: 'd' },
    };
    const used = { names: ['my-tool', 'jira'], env_vars: ['MEM_CONNECTOR_MY_TOOL_REGION'] };
    expect(unreadVariables(variables, used)).toEqual([
      'MEM_CONNECTOR_MY_TOLL_SECRET is read by no connector; there are jira, my-tool',
      'MEM_CONNECTOR_MY_TOOL_REGON is read by no connector; there are jira, my-tool',
    ]);
  });
});
