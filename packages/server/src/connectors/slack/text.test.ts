import { describe, expect, it } from 'vitest';
import { keptText, mentionedIn, plainText, textIn } from './text.ts';

describe('the text of a message', () => {
  it.each([
    ['<@U1> look at <#C1|general>', '@U1 look at #general'],
    ['<@U1|ada> in <#C1>', '@U1 in #C1'],
    ['<!here> <!subteam^S1|@ops> <!date^1^{date}|today>', '@here @ops today'],
    ['<https://a.example/x|the page>', 'the page (https://a.example/x)'],
    ['<https://a.example> <http://a.example|a.example>', 'https://a.example http://a.example'],
    ['a &lt;b&gt; &amp;&amp; c', 'a <b> && c'],
    ['&amp;lt;', '&lt;'],
    ['1 < 2 and <>', '1 < 2 and <>'],
  ])('%s is read as %s', (markup, plain) => {
    expect(plainText(markup)).toBe(plain);
  });

  it('names the people that it addresses', () => {
    expect(mentionedIn('<@U1> and <@U2|ada>, not @U3')).toEqual(['U1', 'U2']);
  });

  it('holds what a program attached', () => {
    const attachments = [
      { pretext: 'Alert', title: 'Disk full', text: 'on db-1', fields: [{ title: 'Severity', value: 'high' }] },
      { fallback: 'only for old clients' },
    ];
    expect(textIn({ text: '', attachments })).toBe('Alert\nDisk full\non db-1\nSeverity: high\nonly for old clients');
  });

  it('holds a shared message, but no preview of an address', () => {
    const shared = { is_share: true, from_url: 'https://x.slack.com/archives/C1/p1', text: 'said elsewhere' };
    const preview = { from_url: 'https://a.example', title: 'A page', text: 'about things' };
    const ofApp = { is_app_unfurl: true, text: 'about things' };
    expect(textIn({ text: 'see', attachments: [shared, preview, ofApp] })).toBe('see\nsaid elsewhere');
  });

  it('is taken from the blocks where a program sent nothing else', () => {
    const blocks = [
      { type: 'header', text: { type: 'plain_text', text: 'Deploy' } },
      { type: 'section', text: { text: 'of *api*' }, fields: [{ text: 'Took: 3 s' }] },
      { type: 'context', elements: [{ type: 'mrkdwn', text: 'by CI' }, { type: 'image' }] },
      {
        type: 'rich_text',
        elements: [
          {
            type: 'rich_text_section',
            elements: [
              { type: 'text', text: 'ask ' },
              { type: 'user', user_id: 'U1' },
              { type: 'text', text: ' or ' },
              { type: 'link', url: 'https://a.example', text: 'read' },
              { type: 'emoji', name: 'eyes' },
            ],
          },
        ],
      },
    ];
    expect(textIn({ blocks })).toBe('Deploy\nof *api*\nTook: 3 s\nby CI\nask <@U1> or <https://a.example|read>:eyes:');
    expect(textIn({ text: 'Deploy of api', blocks })).toBe('Deploy of api');
  });

  it('is kept to 1,500 characters', () => {
    expect(keptText('é'.repeat(50_000))).toBe(`${'é'.repeat(1499)}…`);
  });
});
