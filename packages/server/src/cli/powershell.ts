/** What a completion script has to know. */
export type CompletionTable = {
  words: readonly (readonly [word: string, summary: string])[];
  fullNames: readonly string[];
  shells: readonly string[];
  commands: readonly {
    words: readonly string[];
    flags: readonly string[];
    choices: readonly { flag: string; choices: readonly string[] }[];
  }[];
};

const quoted = (text: string) => `'${text.replaceAll("'", "''")}'`;
const list = (texts: readonly string[]) => `@(${texts.map(quoted).join(', ')})`;

/** For Windows PowerShell 5.1 and later. Where it offers nothing, PowerShell completes file names itself. */
export function powershellScript({ words, fullNames, shells, commands }: CompletionTable): string {
  const flags = commands.flatMap((one) => one.words.map((word) => `    ${quoted(word)} = ${list(one.flags)}`));
  const choices = commands.flatMap((one) =>
    one.words.flatMap((word) =>
      one.choices.map(({ flag, choices }) => `    ${quoted(`${word} ${flag}`)} = ${list(choices)}`),
    ),
  );
  return `# PowerShell completion for mem: mem completion powershell | Out-String | Invoke-Expression
Register-ArgumentCompleter -Native -CommandName mem -ScriptBlock {
  param($wordToComplete, $commandAst, $cursorPosition)
  $summaries = [ordered]@{
${words.map(([word, text]) => `    ${quoted(word)} = ${quoted(text)}`).join('\n')}
  }
  $flags = @{
${flags.join('\n')}
  }
  $choices = @{
${choices.join('\n')}
  }
  $before = @($commandAst.CommandElements | Where-Object { $_.Extent.EndOffset -lt $cursorPosition } | ForEach-Object { $_.ToString() })
  $found = @()
  if ($before.Count -le 1) {
    $found = if ($wordToComplete.Contains('.')) { ${list(fullNames)} } else { @($summaries.Keys) }
  } else {
    $command = $before[1]
    $previous = $before[$before.Count - 1]
    if ($choices.ContainsKey("$command $previous")) { $found = $choices["$command $previous"] }
    elseif ($command -eq 'help') { $found = @($summaries.Keys) }
    elseif ($command -eq 'completion') { $found = ${list(shells)} }
    elseif ($wordToComplete.StartsWith('-') -and $flags.ContainsKey($command)) { $found = $flags[$command] }
  }
  $found | Where-Object { $_.StartsWith($wordToComplete) } | ForEach-Object {
    $text = if ($before.Count -le 1 -and $summaries.Contains($_)) { $summaries[$_] } else { $_ }
    [System.Management.Automation.CompletionResult]::new($_, $_, 'ParameterValue', $text)
  }
}
`;
}
