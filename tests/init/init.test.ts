import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { memProgram } from '../faults/support/mem-process.ts';
import { type ClientHome, entryIn, openHome, originalNames, originals, withoutComments } from './support.ts';

let home: ClientHome;
beforeEach(async () => {
  home = await openHome();
});
afterEach(() => home.desk.remove());

/** In JSON that the client itself writes, or in TOML. */
const node = JSON.stringify(process.execPath);
const ownStore = () => join(home.folder, '.mem', 'store');

describe.each(originalNames)('mem init for %s', (name) => {
  const { file, servers, text } = originals[name];

  it('adds the server to what is there, once, and takes it out to the last byte', async () => {
    home.put(file, text);
    const before = home.files();
    const first = await home.init(['--yes', '--client', name]);
    expect(first).toMatchObject({ code: 0, err: '' });
    const written = home.read(file);
    const program = await memProgram();
    if (name === 'codex')
      expect(written).toBe(
        `${text}\n[mcp_servers.mem]\ncommand = ${node}\nargs = [${JSON.stringify(program)}, "mcp"]\nenv = { MEM_DATA_DIR = ${JSON.stringify(ownStore())} }\n`,
      );
    else
      expect(entryIn(written, servers)).toMatchObject({
        command: process.execPath,
        args: [program, 'mcp'],
        env: { MEM_DATA_DIR: ownStore() },
      });
    // Nothing of the user's is lost: every line is still there, but for a comma.
    const lines = new Set(written.split('\n').map((line) => line.replace(/,?\r?$/, '')));
    for (const line of text.split('\n')) expect(lines).toContain(line.replace('{}', '{').replace(/,?\r?$/, ''));
    expect(written.includes('\r\n')).toBe(text.includes('\r\n'));

    const after = home.files();
    expect(await home.init(['--yes', '--client', name])).toMatchObject({
      code: 0,
      err: '',
      out: expect.stringMatching(/: already set up\n$/),
    });
    expect(home.files()).toEqual(after);

    expect(await home.init(['--yes', '--uninstall', '--client', name])).toMatchObject({ code: 0, err: '' });
    expect(home.files()).toEqual(before);
  });

  it('makes the file where there is none, and removes it again', async () => {
    expect(await home.init(['--yes', '--client', name])).toMatchObject({ code: 0, err: '' });
    expect(home.read(file)).toContain('"mcp"');
    expect(home.mode(file)).toBe(0o600);
    expect(await home.init(['--yes', '--uninstall'])).toMatchObject({ code: 0, err: '' });
    expect(home.files()).toEqual({});
  });

  it('removes what a killed run left beside the file', async () => {
    await home.init(['--yes', '--client', name]);
    const target = join(home.folder, file);
    const part = join(dirname(target), `.${basename(target)}.999999999.part`);
    writeFileSync(part, text);
    await home.init(['--yes', '--client', name]);
    expect(existsSync(part)).toBe(false);
  });

  it('leaves what the user changed since', async () => {
    home.put(file, text);
    await home.init(['--yes', '--client', name]);
    const mine = name === 'codex' ? '\n[mcp_servers.later]\ncommand = "later"\n' : undefined;
    const changed = mine
      ? home.read(file) + mine
      : home.read(file).replace(/("mem": \{)/, '"later": { "command": "later" },\n    $1');
    home.put(file, changed);
    expect(await home.init(['--yes', '--uninstall', '--client', name])).toMatchObject({ code: 0 });
    const left = home.read(file);
    expect(left).toContain('later');
    expect(left).not.toContain('mem.js');
    if (mine) expect(left).toBe(text + mine);
    else {
      const expected = JSON.parse(withoutComments(text));
      expected[servers] = { ...expected[servers], later: { command: 'later' } };
      expect(JSON.parse(withoutComments(left))).toEqual(expected);
    }
  });

  it('refuses a file it cannot read, with the place, and leaves it alone', async () => {
    const broken = name === 'codex' ? 'model = "a"\n[mcp_servers\n' : '{\n  "a": 1,\n  oops\n}\n';
    home.put(file, broken);
    const { code, err } = await home.init(['--yes', '--client', name]);
    expect(code).toBe(1);
    expect(err).toMatch(
      name === 'codex'
        ? /config\.toml: line 2, column 13: "\]" was expected/
        : /: line 3, column 3: a name in quotes was expected, not "o"/,
    );
    expect(home.read(file)).toBe(broken);
    expect(Object.keys(home.files()).filter((found) => found.endsWith('.bak'))).toEqual([]);
  });

  it('points to a server and never shows the key', async () => {
    home.put(file, text);
    const key = 'mem_sk_0123456789abcdefghij';
    const env = { MEM_HTTP_URL: 'https://mem.example.com', MEM_API_KEY: key };
    const { code, out, err } = await home.init(['--yes', '--client', name], { env });
    expect(code).toBe(0);
    for (const secret of [key, 'ghp_0123456789abcdef', 'sk-ant-0123456789', 'ctx7sk-0123456789'])
      expect(out + err).not.toContain(secret);
    const holders = Object.entries(home.files()).filter(([, found]) => found.includes(key));
    const written = home.read(file);
    if (name === 'claude-desktop') {
      expect(holders.map(([holder]) => holder)).toEqual([file]);
      expect(home.mode(file)).toBe(0o600);
      expect(out).toContain('"MEM_API_KEY": "mem_sk_…"');
      expect(entryIn(written, servers)).toMatchObject({
        env: { MEM_HTTP_URL: 'https://mem.example.com', MEM_API_KEY: key },
      });
    } else {
      expect(holders).toEqual([]);
      if (name === 'codex')
        expect(written).toContain(
          '\n[mcp_servers.mem]\nurl = "https://mem.example.com/mcp"\nbearer_token_env_var = "MEM_API_KEY"\n',
        );
      else
        expect(JSON.stringify(entryIn(written, servers))).toMatch(
          /"https:\/\/mem\.example\.com\/mcp".*"X-MEM-API-Key":"\$\{(env:)?MEM_API_KEY\}"/,
        );
    }
    expect(await home.init(['--yes', '--client', name], { env })).toMatchObject({
      out: expect.stringContaining('already set up'),
    });
    // Without variables, what was set up stays.
    const set = home.files();
    expect(await home.init(['--yes', '--client', name])).toMatchObject({
      out: expect.stringContaining('already set up'),
    });
    expect(home.files()).toEqual(set);
    // Back to the store of this machine: nothing of the server stays.
    await home.init(['--yes', '--client', name, '--store', 'own']);
    expect(home.read(file)).not.toMatch(/mem\.example\.com|MEM_API_KEY/);
    await home.init(['--yes', '--uninstall', '--client', name]);
    expect(home.read(file)).toBe(text);
  });
});

describe('mem init', () => {
  it('finds the clients that are there', async () => {
    home.put('.cursor/extensions.json', '[]');
    home.put('.codeium/windsurf/installation_id', 'x');
    const { code, out } = await home.init(['--dry-run']);
    expect(code).toBe(0);
    expect([...out.matchAll(/^(\S.*) (?:creates|changes) /gm)].map(([, title]) => title)).toEqual([
      'Cursor',
      'Windsurf',
      'Windsurf',
    ]);
    expect(Object.keys(home.files())).toEqual(['.codeium/windsurf/installation_id', '.cursor/extensions.json']);
  });

  it('says so where it finds none', async () => {
    expect(await home.init(['--yes'])).toMatchObject({ code: 1, err: expect.stringContaining('no client was found') });
    expect(await home.init(['--uninstall', '--yes'])).toMatchObject({ code: 0, out: 'no client is set up\n' });
    expect(await home.init(['--client', 'emacs'])).toMatchObject({
      code: 2,
      err: expect.stringContaining('there is no client "emacs"'),
    });
  });

  it('writes nothing without a terminal to ask', async () => {
    const { code, out, err } = await home.init(['--client', 'cursor']);
    expect(code).toBe(2);
    expect(out).toContain('Cursor creates ~/.cursor/mcp.json');
    expect(err).toContain('add --yes');
    expect(home.files()).toEqual({});
  });

  it('does the rest where one file is broken', async () => {
    home.put('.cursor/mcp.json', '{');
    home.put('.gemini/settings.json', '{}');
    expect(await home.init(['--yes'])).toMatchObject({
      code: 1,
      err: expect.stringMatching(/Cursor: .*line 1, column 2/),
    });
    expect(entryIn(home.read('.gemini/settings.json'), 'mcpServers')).toMatchObject({ command: process.execPath });
  });

  it('does not touch another server of that name', async () => {
    const other = '{"mcpServers":{"mem":{"url":"https://other.example/mcp"}}}';
    home.put('.cursor/mcp.json', other);
    expect(await home.init(['--yes'])).toMatchObject({
      code: 1,
      err: expect.stringContaining('another server called mem'),
    });
    expect(await home.init(['--yes', '--uninstall', '--client', 'cursor'])).toMatchObject({ code: 0 });
    expect(home.read('.cursor/mcp.json')).toBe(other);
  });

  it('keeps what the user added to the entry itself', async () => {
    home.put(
      '.cursor/mcp.json',
      '{"mcpServers":{"mem":{"command":"node","args":["/old/mem.js","mcp"],"env":{"HTTP_PROXY":"p","MEM_DATA_DIR":"/old"},"disabled":true}}}',
    );
    expect(await home.init(['--yes'], { env: { MEM_DATA_DIR: '/new' } })).toMatchObject({ code: 0 });
    expect(entryIn(home.read('.cursor/mcp.json'), 'mcpServers')).toEqual({
      command: process.execPath,
      args: [await memProgram(), 'mcp'],
      env: { HTTP_PROXY: 'p', MEM_DATA_DIR: '/new' },
      disabled: true,
    });
  });

  it('shows no value of other servers where the file stood on one line', async () => {
    const one = '{"mcpServers":{"other":{"command":"run","args":["--key","sk-1111"],"env":{"TOKEN":"ghp_2222"}}}}';
    home.put('.cursor/mcp.json', one);
    const shown = [
      await home.init(['--dry-run']),
      await home.init(['--yes']),
      await home.init(['--yes', '--uninstall', '--dry-run']),
      await home.init(['--yes', '--uninstall']),
    ];
    for (const { code, out, err } of shown) {
      expect({ code, err }).toEqual({ code: 0, err: '' });
      expect(out).toContain('"TOKEN"');
      expect(out).not.toMatch(/sk-1111|ghp_2222/);
    }
    expect(shown[0]?.out).toContain(`"mem": {"command":${node}`);
    expect(home.read('.cursor/mcp.json')).toBe(one);
  });

  it.each(['localhost:8080', 'mem.example.com:80/x', '[::1]:8080'])('takes %s for no folder', async (store) => {
    expect(await home.init(['--yes', '--client', 'cursor', '--store', store])).toMatchObject({
      code: 2,
      err: `mem: --store: ${store} has no scheme: write http://${store}\n`,
    });
    expect(home.files()).toEqual({});
  });

  it('uninstalled, leaves no folder of its own, and says where memory stays', async () => {
    await home.init(['--yes', '--client', 'claude-code']);
    home.put('.mem/store/mem.db', '');
    const { out } = await home.init(['--yes', '--uninstall']);
    expect(out).toMatch(/^memory stays at ~\/\.mem\/store$/m);
    expect(readdirSync(home.folder)).toEqual(['.mem']);
    expect(await home.init(['--yes'])).toMatchObject({ code: 1, err: expect.stringContaining('no client was found') });
  });

  it('keeps a backup beside the file, and a link a link', async () => {
    const { text } = originals.cursor;
    home.put('dotfiles/mcp.json', text);
    mkdirSync(join(home.folder, '.cursor'));
    symlinkSync('../dotfiles/mcp.json', join(home.folder, '.cursor/mcp.json'));
    await home.init(['--yes']);
    expect(lstatSync(join(home.folder, '.cursor/mcp.json')).isSymbolicLink()).toBe(true);
    expect(home.read('dotfiles/mcp.json')).toContain('"mem"');
    const backups = Object.entries(home.files()).filter(([file]) => /^\.cursor\/mcp\.json\.mem-\w+\.bak$/.test(file));
    expect(backups.map(([, found]) => found)).toEqual([text]);
  });

  it('keeps the password of a database out of sight', async () => {
    const env = { MEM_POSTGRES_DSN: 'postgres://ada:pa55word@db/mem' };
    const { out } = await home.init(['--yes', '--client', 'cursor,codex,claude-desktop'], { env });
    expect(out).not.toContain('pa55word');
    expect(entryIn(home.read('.cursor/mcp.json'), 'mcpServers')).toMatchObject({
      env: { MEM_POSTGRES_DSN: expect.stringMatching(/^\$\{env:MEM_POSTGRES_DSN\}$/) },
    });
    expect(home.read('.codex/config.toml')).toContain('env_vars = ["MEM_POSTGRES_DSN"]');
    expect(home.mode('.config/Claude/claude_desktop_config.json')).toBe(0o600);
  });

  it('sets a project up, and clients that know no projects are left out', async () => {
    const { out, err } = await home.init([
      '--yes',
      '--project',
      '--client',
      'claude-code,cursor,codex,vscode,gemini,windsurf',
    ]);
    expect(err).toContain('Windsurf has no settings of a project');
    expect(out).toContain('These files hold on every machine');
    const files = Object.keys(home.files()).filter((file) => !file.startsWith('.mem/'));
    expect(files).toEqual([
      '.claude/settings.json',
      '.claude/skills/mem/SKILL.md',
      '.codex/config.toml',
      '.cursor/mcp.json',
      '.cursor/rules/mem.mdc',
      '.gemini/settings.json',
      '.mcp.json',
      '.vscode/mcp.json',
      'AGENTS.md',
      'CLAUDE.md',
      'GEMINI.md',
    ]);
    // Codex and VS Code read one guide: it stays as long as one of them needs it.
    await home.init(['--yes', '--project', '--uninstall', '--client', 'codex']);
    expect(home.read('AGENTS.md')).toContain('mem:begin');
    await home.init(['--yes', '--project', '--uninstall']);
    expect(home.files()).toEqual({});
  });

  it('puts the guide into a text of the user, changes it in place and takes it out', async () => {
    home.put('.codex/AGENTS.md', '# Mine\n\nAlways be kind.');
    await home.init(['--yes', '--client', 'codex']);
    const guided = home.read('.codex/AGENTS.md');
    expect(guided).toMatch(
      /^# Mine\n\nAlways be kind\.\n\n<!-- mem:begin .*-->\n## Memory[\s\S]*\n<!-- mem:end -->\n$/,
    );
    home.put('.codex/AGENTS.md', `${guided.replace(/## Memory/, '## Old words')}\nAnd brave.\n`);
    expect(await home.init(['--yes', '--client', 'codex'])).toMatchObject({ code: 0 });
    expect(home.read('.codex/AGENTS.md')).toBe(`${guided}\nAnd brave.\n`);
    await home.init(['--yes', '--uninstall']);
    expect(home.read('.codex/AGENTS.md')).toBe('# Mine\n\nAlways be kind.\n\nAnd brave.\n');
  });

  it('writes no guide where none is wanted', async () => {
    await home.init(['--yes', '--client', 'claude-code', '--no-guide']);
    expect(Object.keys(home.files())).toEqual(['.claude.json', '.mem/init.json']);
  });

  it('puts hooks beside those of the user', async () => {
    const settings = `{
  "permissions": { "allow": ["Bash(ls:*)"] },
  "hooks": {
    "Stop": [
      { "hooks": [{ "type": "command", "command": "say done" }] }
    ]
  }
}
`;
    home.put('.claude/settings.json', settings);
    await home.init(['--yes']);
    const { hooks } = JSON.parse(home.read('.claude/settings.json'));
    const program = await memProgram();
    expect(hooks.Stop).toEqual([
      { hooks: [{ type: 'command', command: 'say done' }] },
      { hooks: [{ type: 'command', command: `${process.execPath} ${program} hook stop`, timeout: 10 }] },
    ]);
    expect(hooks.SessionStart[0].hooks[0].command).toBe(
      `${process.execPath} ${program} hook session-start --data-dir ${ownStore()}`,
    );
    // With a change of the user's in between.
    writeFileSync(
      join(home.folder, '.claude/settings.json'),
      home.read('.claude/settings.json').replace('say done', 'say ready'),
    );
    await home.init(['--yes', '--uninstall']);
    expect(readFileSync(join(home.folder, '.claude/settings.json'), 'utf8')).toBe(
      settings.replace('say done', 'say ready'),
    );
  });
});
