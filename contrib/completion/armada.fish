# fish completion for a command of Armada. The words come from the completion for bash, which runs as a program.
# make install puts the path of that program in the function, and this file once for each command.
function __armada_complete
    set -l engine _armada.bash
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    set -l before (string match -r -- '^--[a-z-]+=' "$current"; or echo)
    set -l rest (string replace -r -- '^--[a-z-]+=' '' "$current")
    set words[1] (string replace -r '.*/' '' -- $words[1])

    for found in (bash $engine $words "$current" 2>/dev/null)
        switch $found
            case :files
                for path in (__fish_complete_path $rest)
                    echo $before$path
                end
            case :directories
                for path in (__fish_complete_directories $rest)
                    echo $before$path
                end
            case :commands
                complete -C $rest
            case '*'
                echo $found
        end
    end
end
complete -c (status basename | string replace -r '\.fish$' '') -f -a '(__armada_complete)'
