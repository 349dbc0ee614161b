#!/usr/bin/perl
# Writes test/fixtures/geo.mmdb, a small City database with made-up places.
# Needs Debian's libmaxmind-db-writer-perl. Usage: perl scripts/make-geo-fixture.pl test/fixtures/geo.mmdb
use strict; use warnings; use MaxMind::DB::Writer::Tree;
my %types = (country => 'map', iso_code => 'utf8_string', city => 'map', names => 'map', en => 'utf8_string');
my $tree = MaxMind::DB::Writer::Tree->new(
  ip_version => 6, record_size => 24, database_type => 'Test-City', languages => ['en'],
  description => { en => 'Waymark test data' }, map_key_type_callback => sub { $types{$_[0]} },
  remove_reserved_networks => 0,
);
$tree->insert_network('81.2.69.0/24', { country => { iso_code => 'GB' }, city => { names => { en => 'London' } } });
$tree->insert_network('89.160.20.0/24', { country => { iso_code => 'SE' }, city => { names => { en => "Link\x{f6}ping" } } });
$tree->insert_network('216.160.83.0/24', { country => { iso_code => 'US' } });
$tree->insert_network('2a02:d300::/32', { country => { iso_code => 'UA' } });
$tree->insert_network('10.0.0.0/8', { country => { iso_code => 'ZZ' } });
open my $file, '>:raw', $ARGV[0] or die $!;
$tree->write_tree($file);
